// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.client.write.GroupFixture.LENGTH;
import static io.rdio.client.write.GroupFixture.UNIT;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.testing.Patience;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The replicas of a block: all at once, from memory that is the writer's meanwhile. */
final class GroupWriterTest {
  private final GroupFixture group = new GroupFixture();
  private final WritersFixture fixture = group.writers;

  @AfterEach
  void close() {
    group.close();
  }

  @Test
  void allTargetsGetTheBlock() throws Exception {
    try (GroupWriter writer = group.open(group.threads)) {
      assertThat(writer.alive()).isEqualTo(0b111);
      group.write(writer, 0, UNIT);
      group.write(writer, UNIT, 4 * UNIT);
      group.write(writer, 4 * UNIT, LENGTH);
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b111);
    }
    for (int i = 0; i < 3; i++) {
      group.requireReplica(i);
      assertThat(group.nodes.get(i).lent.get(0).block().token()).containsExactly(1, 2);
      assertThat(group.nodes.get(i).aborted).isEmpty();
    }
    assertThat(group.crcs.position()).isEqualTo(1);
  }

  private static void meet(CyclicBarrier meeting) {
    try {
      meeting.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void passed(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Each waits for the others: one behind the other they would wait for ever. */
  @Test
  void targetsAreWorkedForAtTheSameTime() throws Exception {
    CyclicBarrier meeting = new CyclicBarrier(3);
    Runnable meet = () -> meet(meeting);
    fixture.plane.before = meet;
    try (GroupWriter writer = group.open(group.threads)) {
      group.nodes.forEach(node -> node.open(0).inWrite = meet);
      group.write(writer, 0, LENGTH);
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b111);
    }
    fixture.plane.before = () -> {};
  }

  /** Of each round so many targets are left to the thread that asks. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void executorThatIsFullIsNoObstacle(int rejected) throws Exception {
    try (GroupWriter writer = group.open(rejecting(rejected))) {
      group.write(writer, 0, LENGTH);
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b111);
    }
    group.requireReplica(2);
  }

  /** Rejects the last ones of each three. */
  private Executor rejecting(int of) {
    AtomicInteger asked = new AtomicInteger();
    return work -> {
      if (asked.getAndIncrement() % 3 >= 3 - of) {
        throw new RejectedExecutionException();
      }
      group.threads.execute(work);
    };
  }

  /** Does what comes to it at once, or keeps it. */
  private static final class Later implements Executor {
    final List<Runnable> kept = new ArrayList<>();
    boolean keeps;

    @Override
    public void execute(Runnable work) {
      if (keeps) {
        kept.add(work);
      } else {
        work.run();
      }
    }
  }

  @Test
  void workThatComesTooLateDoesNothing() throws Exception {
    Later later = new Later();
    GroupWriter writer = group.open(later);
    later.keeps = true;
    group.begin(writer, 0, UNIT);
    writer.close();
    assertThat(writer.isUnderWay()).isFalse();

    assertThat(later.kept).hasSize(3);
    later.kept.forEach(Runnable::run);
    assertThat(group.nodes.get(0).written(0, UNIT))
        .isNotEqualTo(Arrays.copyOf(WritersFixture.array(group.bytes), UNIT));
    fixture.tend();
    assertThat(group.nodes).allSatisfy(node -> assertThat(node.aborted).hasSize(1));
  }

  @Test
  void unitIsTheLargestAndCapacityTheLeast() throws Exception {
    List<FakeDataNode> mixed =
        List.of(fixture.dataNode("s", 512), group.nodes.get(0), fixture.dataNode("t", 1024));
    try (GroupWriter writer = group.open(group.threads, mixed)) {
      assertThat(writer.unit()).isEqualTo(UNIT);
      assertThat(writer.capacity()).isEqualTo(FakeDataNode.SLOT_BYTES);
      group.write(writer, 0, LENGTH);
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b111);
    }
    assertThat(mixed.get(0).written(0, LENGTH)).isEqualTo(WritersFixture.array(group.bytes));
  }

  @Test
  void rangesAreUnderWayAtTheSameTime() throws Exception {
    CyclicBarrier meeting = new CyclicBarrier(2 * 3);
    try (GroupWriter writer = group.open(group.threads)) {
      group.nodes.forEach(node -> node.open(0).inWrite = () -> meet(meeting));
      group.begin(writer, 0, UNIT);
      group.begin(writer, UNIT, LENGTH);
      assertThatThrownBy(() -> writer.commit(LENGTH, group.crcs, 2))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is still being written");
      writer.finishOldest();
      writer.finishOldest();
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b111);
    }
    for (int i = 0; i < 3; i++) {
      group.requireReplica(i);
    }
  }

  /** One device flushes only when the others' replicas are being committed. */
  @Test
  void replicaIsCommittedAsSoonAsItIsFlushed() throws Exception {
    CountDownLatch others = new CountDownLatch(2);
    try (GroupWriter writer = group.open(group.threads)) {
      group.write(writer, 0, LENGTH);
      group.nodes.get(1).open(0).inFlush = () -> passed(others);
      fixture.plane.before = others::countDown;
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b111);
    }
    fixture.plane.before = () -> {};
    for (int i = 0; i < 3; i++) {
      group.requireReplica(i);
    }
  }

  @Test
  void memoryIsStillTheWritersUntilCloseReturns() throws Exception {
    CountDownLatch inWrite = new CountDownLatch(3);
    CountDownLatch left = new CountDownLatch(1);
    GroupWriter writer = group.open(group.threads);
    group.nodes.forEach(
        node ->
            node.open(0).inWrite =
                () -> {
                  inWrite.countDown();
                  passed(left);
                });
    group.begin(writer, 0, UNIT);
    passed(inWrite);
    Thread closing = new Thread(writer::close);
    closing.start();
    await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
    assertThat(group.nodes.get(0).leaseOn(group.nodes.get(0).lent.get(0)).isEnded()).isFalse();
    left.countDown();
    Patience.join(closing);
    fixture.tend();
    assertThat(group.nodes)
        .allSatisfy(node -> assertThat(node.aborted).hasSize(1).allMatch(ended -> ended.quiet()));
  }

  @Test
  void rangesFollowEachOther() throws Exception {
    try (GroupWriter writer = group.open(group.threads)) {
      group.write(writer, 0, 3 * UNIT);
      for (int from : new int[] {0, 2 * UNIT, 4 * UNIT}) {
        assertThatThrownBy(() -> group.begin(writer, from, from + UNIT))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(from + " of BP-1:blk_1_1001");
      }
      group.write(writer, 3 * UNIT, LENGTH);
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b111);
    }
  }

  /** This thread is interrupted while the others still read from its memory. */
  @Test
  void interruptDoesNotGiveTheMemoryBackEarlier() throws Exception {
    Thread writing = Thread.currentThread();
    CyclicBarrier meeting = new CyclicBarrier(3);
    AtomicBoolean isBehind = new AtomicBoolean();
    CountDownLatch left = new CountDownLatch(1);
    try (GroupWriter writer = group.open(rejecting(1))) { // the third target is this thread's
      Runnable stay =
          () -> {
            meet(meeting);
            if (Thread.currentThread() == writing) {
              writing.interrupt();
              isBehind.set(true);
            } else {
              passed(left);
            }
          };
      group.nodes.forEach(node -> node.open(0).inWrite = stay);
      group.threads.execute(
          () -> {
            await().until(() -> isBehind.get() && writing.getState() == Thread.State.TIMED_WAITING);
            left.countDown();
          });
      group.write(writer, 0, LENGTH);
      assertThat(Thread.interrupted()).isTrue();
      for (FakeDataNode node : group.nodes) {
        assertThat(node.written(0, LENGTH)).isEqualTo(WritersFixture.array(group.bytes));
      }
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b111);
    }
  }

  @Test
  void closedWriterGivesUpAllAndDoesNothingMore() throws Exception {
    GroupWriter writer = group.open(group.threads);
    group.write(writer, 0, UNIT);
    writer.close();
    writer.close();

    assertThatThrownBy(() -> group.write(writer, UNIT, LENGTH))
        .isInstanceOf(IllegalStateException.class);
    fixture.tend();
    assertThat(group.nodes).allSatisfy(node -> assertThat(node.aborted).hasSize(1));
  }

  @Test
  void argumentsOutOfRangeAreRefused() throws Exception {
    assertThatThrownBy(() -> group.open(group.threads, List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> group.open(group.threads, Collections.nCopies(17, group.nodes.get(0))))
        .isInstanceOf(IllegalArgumentException.class);
    try (GroupWriter writer = group.open(group.threads)) {
      assertThatThrownBy(
              () ->
                  writer.begin(
                      0,
                      WritersFixture.address(group.bytes),
                      FakeDataNode.SLOT_BYTES + 1,
                      true,
                      group.bytes))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(writer.alive()).isEqualTo(0b111);
    }
  }

  @Test
  void targetKeepsItsOwnToken() {
    byte[] token = {1};
    GroupWriter.Target target = new GroupWriter.Target(group.nodes.get(0).id, token, "DS-9");
    token[0] = 2;
    Arrays.fill(target.token(), (byte) 3);

    assertThat(target.token()).containsExactly(1);
    assertThat(target.storageId()).isEqualTo("DS-9");
    assertThat(target.node()).isEqualTo(group.nodes.get(0).id);
  }
}
