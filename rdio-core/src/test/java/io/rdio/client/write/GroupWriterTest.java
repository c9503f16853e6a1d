// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.block.ChecksumSpec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The replicas of a block: all at once, and those that fail leave the others alone. */
final class GroupWriterTest {
  private static final int UNIT = WritersFixture.UNIT;
  private static final int LENGTH = 5 * UNIT + 7;
  private final FallbackException silence =
      new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "no answer");

  private final WritersFixture fixture = new WritersFixture();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ByteBuffer bytes = WritersFixture.bytes(LENGTH, 3);
  private final ByteBuffer crcs = ByteBuffer.wrap(new byte[] {5, 6, 7, 8}).position(1);
  private final List<FakeDataNode> nodes = new ArrayList<>();

  @BeforeEach
  void makeDataNodes() {
    for (String host : List.of("a", "b", "c")) {
      nodes.add(fixture.dataNode(host));
    }
  }

  @AfterEach
  void close() {
    threads.shutdown();
    fixture.close();
  }

  private static List<GroupWriter.Target> targets(List<FakeDataNode> of) {
    return of.stream()
        .map(node -> new GroupWriter.Target(node.id, new byte[] {1, 2}, "DS-1"))
        .toList();
  }

  private GroupWriter open(Executor parallel) throws FallbackException {
    return open(parallel, nodes);
  }

  private GroupWriter open(Executor parallel, List<FakeDataNode> of) throws FallbackException {
    return GroupWriter.open(
        fixture.writers,
        parallel,
        WritersFixture.block(1),
        targets(of),
        1 << 20,
        ChecksumSpec.Type.CRC32C,
        512);
  }

  private void write(GroupWriter writer, int from, int to) throws FallbackException {
    begin(writer, from, to);
    writer.finishOldest();
  }

  private void begin(GroupWriter writer, int from, int to) throws FallbackException {
    writer.begin(from, WritersFixture.address(bytes) + from, to - from, to == LENGTH);
  }

  private static FallbackException refusal(ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal;
  }

  private void requireReplica(int node) {
    assertThat(nodes.get(node).written(0, LENGTH)).isEqualTo(WritersFixture.array(bytes));
    assertThat(fixture.plane.committed.get(nodes.get(node).id.host() + " 1"))
        .containsExactly(6, 7, 8);
  }

  @Test
  void allTargetsGetTheBlock() throws Exception {
    try (GroupWriter writer = open(threads)) {
      assertThat(writer.alive()).isEqualTo(0b111);
      write(writer, 0, UNIT);
      write(writer, UNIT, 4 * UNIT);
      write(writer, 4 * UNIT, LENGTH);
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b111);
    }
    for (int i = 0; i < 3; i++) {
      requireReplica(i);
      assertThat(nodes.get(i).lent.get(0).block().token()).containsExactly(1, 2);
      assertThat(nodes.get(i).aborted).isEmpty();
    }
    assertThat(crcs.position()).isEqualTo(1);
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
    try (GroupWriter writer = open(threads)) {
      nodes.forEach(node -> node.open(0).inWrite = meet);
      write(writer, 0, LENGTH);
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b111);
    }
    fixture.plane.before = () -> {};
  }

  /** An executor that is full, and one whose threads never come to it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void executorWithoutThreadsIsNoObstacle(boolean rejects) throws Exception {
    Executor none =
        work -> {
          if (rejects) {
            throw new RejectedExecutionException();
          }
        };
    try (GroupWriter writer = open(none)) {
      write(writer, 0, LENGTH);
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b111);
    }
    requireReplica(2);
  }

  @Test
  void workThatComesTooLateDoesNothing() throws Exception {
    List<Runnable> late = Collections.synchronizedList(new ArrayList<>());
    try (GroupWriter writer = open(late::add)) {
      write(writer, 0, UNIT);
      assertThat(late).hasSize(5);
      late.forEach(Runnable::run);
      write(writer, UNIT, LENGTH);
      writer.commit(LENGTH, crcs);
    }
    requireReplica(0);
    assertThat(nodes.get(0).lent).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void oneThatRefusesIsNamedAndNothingIsLeftOpen(int which) {
    nodes.get(which).refusal = new FallbackException(FallbackReason.SLOTS_EXHAUSTED, "none left");

    TargetRefusedException refusal =
        catchThrowableOfType(TargetRefusedException.class, () -> open(threads));
    assertThat(refusal.target()).isEqualTo(which);
    assertThat(refusal.reason()).isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
    assertThat(refusal.detail()).isEqualTo("none left");
    fixture.tend();
    for (int i = 0; i < 3; i++) {
      assertThat(nodes.get(i).aborted).hasSize(i == which ? 0 : 1).allMatch(ended -> ended.quiet());
    }
  }

  @Test
  void deviceThatThisHostDoesNotHaveRefusesItsTargetOnly() {
    nodes.get(1).noDevice = new FallbackException(FallbackReason.DEVICE_NOT_FOUND, "not here");

    TargetRefusedException refusal =
        catchThrowableOfType(TargetRefusedException.class, () -> open(threads));
    assertThat(refusal.target()).isEqualTo(1);
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_NOT_FOUND);
  }

  @ParameterizedTest
  @EnumSource(names = {"NATIVE_LIBRARY_UNAVAILABLE", "AGENT_BUSY", "INTERRUPTED"})
  void whatIsWrongWithThisHostIsNoTargetsFault(FallbackReason reason) {
    nodes.get(0).refusal = new FallbackException(FallbackReason.SLOTS_EXHAUSTED, "none left");
    nodes.get(2).noDevice = new FallbackException(reason, "here");

    FallbackException refusal = refusal(() -> open(threads));
    assertThat(refusal).isNotInstanceOf(TargetRefusedException.class);
    assertThat(refusal.reason()).isEqualTo(reason);
  }

  @Test
  void accidentLeavesNothingOpen() {
    fixture.plane.before =
        () -> {
          if (fixture.plane.asked().equals("c")) {
            throw new IllegalStateException("for the test");
          }
        };
    assertThatThrownBy(() -> open(work -> {})).hasMessage("for the test");
    fixture.plane.before = () -> {};
    fixture.tend();
    assertThat(nodes.get(0).aborted).hasSize(1);
    assertThat(nodes.get(1).aborted).hasSize(1);
  }

  @Test
  void oneThatFailsInAWriteLeavesTheOthersAlone() throws Exception {
    try (GroupWriter writer = open(threads)) {
      write(writer, 0, UNIT);
      nodes.get(1).failsWrites = true;
      write(writer, UNIT, 2 * UNIT);
      assertThat(writer.alive()).isEqualTo(0b101);
      fixture.tend();
      assertThat(nodes.get(1).aborted).as("given up at once").hasSize(1);
      nodes.get(1).failsWrites = false;
      write(writer, 2 * UNIT, LENGTH);
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b101);
    }
    requireReplica(0);
    requireReplica(2);
    assertThat(nodes.get(1).commits).isEmpty();
    fixture.tend();
    assertThat(nodes.get(1).aborted).hasSize(1);
  }

  @Test
  void writeFailsWhenNoReplicaIsLeft() throws Exception {
    try (GroupWriter writer = open(threads)) {
      nodes.forEach(node -> node.failsWrites = true);

      assertThat(refusal(() -> write(writer, 0, UNIT)).reason())
          .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
      assertThat(writer.alive()).isZero();
      assertThat(refusal(() -> writer.commit(UNIT, crcs)).reason())
          .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    }
    fixture.tend();
    assertThat(nodes).allSatisfy(node -> assertThat(node.aborted).hasSize(1));
  }

  @Test
  void commitsThatFailAreLeftOut() throws Exception {
    nodes.get(0).commitRefusals.add(refused());
    nodes.get(2).commitRefusals.add(silence);
    try (GroupWriter writer = open(threads)) {
      write(writer, 0, LENGTH);
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b110);
      assertThat(writer.alive()).isEqualTo(0b110);
    }
    requireReplica(2);
    assertThat(fixture.plane.committed).doesNotContainKey("a 1");
  }

  /** The NameNode makes the third one; a writer that waited would seem to hang. */
  @Test
  void dataNodeThatDoesNotAnswerIsNotWaitedForLongWhenOthersDid() throws Exception {
    for (int i = 0; i < 200; i++) {
      nodes.get(2).commitRefusals.add(silence);
    }
    try (GroupWriter writer = open(Runnable::run)) { // in their order
      write(writer, 0, LENGTH);
      fixture.plane.before = () -> fixture.standStill(Duration.ofSeconds(1));
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b011);
      fixture.plane.before = () -> {};
    }
    assertThat(nodes.get(2).commits).hasSize(5);
  }

  private static FallbackException refused() {
    return new FallbackException(FallbackReason.REPLICA_CHANGED, "recovery has it");
  }

  @Test
  void commitFailsWhenAllDo() throws Exception {
    nodes.forEach(node -> node.commitRefusals.add(refused()));
    try (GroupWriter writer = open(threads)) {
      write(writer, 0, LENGTH);
      assertThat(refusal(() -> writer.commit(LENGTH, crcs)).reason())
          .isEqualTo(FallbackReason.REPLICA_CHANGED);
      assertThat(writer.alive()).isZero();
    }
  }

  @Test
  void leaseOfOneThatIsLostTakesThatOneAlone() throws Exception {
    try (GroupWriter writer = open(threads)) {
      write(writer, 0, UNIT);
      nodes.get(2).endsLeases = true;
      fixture.run(Duration.ofSeconds(20));
      write(writer, UNIT, LENGTH);
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b011);
    }
  }

  @Test
  void unitIsTheLargestAndCapacityTheLeast() throws Exception {
    List<FakeDataNode> mixed =
        List.of(fixture.dataNode("s", 512), nodes.get(0), fixture.dataNode("t", 1024));
    try (GroupWriter writer = open(threads, mixed)) {
      assertThat(writer.unit()).isEqualTo(UNIT);
      assertThat(writer.capacity()).isEqualTo(FakeDataNode.SLOT_BYTES);
      write(writer, 0, LENGTH);
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b111);
    }
    assertThat(mixed.get(0).written(0, LENGTH)).isEqualTo(WritersFixture.array(bytes));
  }

  @Test
  void rangesAreUnderWayAtTheSameTime() throws Exception {
    CyclicBarrier meeting = new CyclicBarrier(2 * 3);
    try (GroupWriter writer = open(threads)) {
      nodes.forEach(node -> node.open(0).inWrite = () -> meet(meeting));
      begin(writer, 0, UNIT);
      begin(writer, UNIT, LENGTH);
      assertThatThrownBy(() -> writer.commit(LENGTH, crcs))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is still being written");
      writer.finishOldest();
      writer.finishOldest();
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b111);
    }
    for (int i = 0; i < 3; i++) {
      requireReplica(i);
    }
  }

  @Test
  void oneThatFailsWithMoreUnderWayLeavesTheOthersAlone() throws Exception {
    try (GroupWriter writer = open(threads)) {
      nodes.get(1).failsWrites = true;
      begin(writer, 0, UNIT);
      begin(writer, UNIT, 3 * UNIT);
      begin(writer, 3 * UNIT, LENGTH);
      writer.finishOldest();
      assertThat(writer.alive()).isEqualTo(0b101);
      writer.finishOldest();
      writer.finishOldest();
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b101);
    }
    requireReplica(0);
    requireReplica(2);
    fixture.tend();
    assertThat(nodes.get(1).aborted).hasSize(1);
  }

  @Test
  void memoryIsStillTheWritersUntilCloseReturns() throws Exception {
    CountDownLatch inWrite = new CountDownLatch(3);
    CountDownLatch left = new CountDownLatch(1);
    GroupWriter writer = open(threads);
    nodes.forEach(
        node ->
            node.open(0).inWrite =
                () -> {
                  inWrite.countDown();
                  passed(left);
                });
    begin(writer, 0, UNIT);
    passed(inWrite);
    Thread closing = new Thread(writer::close);
    closing.start();
    await().until(() -> closing.getState() == Thread.State.WAITING);
    assertThat(nodes.get(0).leaseOn(nodes.get(0).lent.get(0)).isEnded()).isFalse();
    left.countDown();
    closing.join();
    fixture.tend();
    assertThat(nodes)
        .allSatisfy(node -> assertThat(node.aborted).hasSize(1).allMatch(ended -> ended.quiet()));
  }

  @Test
  void whatNobodyHasBegunIsLeftOutByClose() throws Exception {
    GroupWriter writer = open(work -> {});
    begin(writer, 0, UNIT);
    writer.close();
    assertThat(nodes.get(0).written(0, UNIT))
        .isNotEqualTo(Arrays.copyOf(WritersFixture.array(bytes), UNIT));
    fixture.tend();
    assertThat(nodes).allSatisfy(node -> assertThat(node.aborted).hasSize(1));
  }

  @Test
  void rangesFollowEachOther() throws Exception {
    try (GroupWriter writer = open(threads)) {
      write(writer, 0, 3 * UNIT);
      for (int from : new int[] {0, 2 * UNIT, 4 * UNIT}) {
        assertThatThrownBy(() -> begin(writer, from, from + UNIT))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(from + " of BP-1:blk_1_1001");
      }
      write(writer, 3 * UNIT, LENGTH);
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b111);
    }
  }

  /** This thread is interrupted while the others still read from its memory. */
  @Test
  void interruptDoesNotGiveTheMemoryBackEarlier() throws Exception {
    ExecutorService two = Executors.newFixedThreadPool(2); // the third target is this thread's
    Thread writing = Thread.currentThread();
    CyclicBarrier meeting = new CyclicBarrier(3);
    AtomicBoolean isBehind = new AtomicBoolean();
    CountDownLatch left = new CountDownLatch(1);
    try (GroupWriter writer = open(two)) {
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
      nodes.forEach(node -> node.open(0).inWrite = stay);
      threads.execute(
          () -> {
            await().until(() -> isBehind.get() && writing.getState() == Thread.State.WAITING);
            left.countDown();
          });
      write(writer, 0, LENGTH);
      assertThat(Thread.interrupted()).isTrue();
      for (FakeDataNode node : nodes) {
        assertThat(node.written(0, LENGTH)).isEqualTo(WritersFixture.array(bytes));
      }
      assertThat(writer.commit(LENGTH, crcs)).isEqualTo(0b111);
    } finally {
      two.shutdown();
    }
  }

  @Test
  void closedWriterGivesUpAllAndDoesNothingMore() throws Exception {
    GroupWriter writer = open(threads);
    write(writer, 0, UNIT);
    writer.close();
    writer.close();

    assertThatThrownBy(() -> write(writer, UNIT, LENGTH)).isInstanceOf(IllegalStateException.class);
    fixture.tend();
    assertThat(nodes).allSatisfy(node -> assertThat(node.aborted).hasSize(1));
  }

  @Test
  void argumentsOutOfRangeAreRefused() throws Exception {
    assertThatThrownBy(() -> open(threads, List.of())).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> open(threads, Collections.nCopies(17, nodes.get(0))))
        .isInstanceOf(IllegalArgumentException.class);
    try (GroupWriter writer = open(threads)) {
      assertThatThrownBy(
              () ->
                  writer.begin(0, WritersFixture.address(bytes), FakeDataNode.SLOT_BYTES + 1, true))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(writer.alive()).isEqualTo(0b111);
    }
  }

  @Test
  void targetKeepsItsOwnToken() {
    byte[] token = {1};
    GroupWriter.Target target = new GroupWriter.Target(nodes.get(0).id, token, "DS-9");
    token[0] = 2;
    Arrays.fill(target.token(), (byte) 3);

    assertThat(target.token()).containsExactly(1);
    assertThat(target.storageId()).isEqualTo("DS-9");
    assertThat(target.node()).isEqualTo(nodes.get(0).id);
  }
}
