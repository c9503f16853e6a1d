// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A volume whose disk does not answer: who waits, for how long, and what is left afterwards. */
final class StalledVolumeTest {
  private static final long WAIT_NANOS = 2_000_000_000L;

  @TempDir Path root;
  private GrantFixture fixture;
  private final Queue<Runnable> pinning = new ArrayDeque<>();
  private final Queue<Runnable> upkeep = new ArrayDeque<>();
  private final Queue<Runnable> timers = new ArrayDeque<>();
  private boolean hangs;
  private boolean full;

  private final GrantThreads threads =
      new GrantThreads() {
        @Override
        public Executor pinning(Path volumeRoot) {
          return work -> {
            if (full) {
              throw new RejectedExecutionException();
            }
            runOr(pinning, work);
          };
        }

        @Override
        public Executor upkeep(Path volumeRoot) {
          return work -> runOr(upkeep, work);
        }

        @Override
        public Runnable after(long nanos, Runnable work) {
          assertThat(nanos).isEqualTo(WAIT_NANOS);
          timers.add(work);
          return () -> timers.remove(work);
        }
      };

  private void runOr(Queue<Runnable> waiting, Runnable work) {
    if (hangs) {
      waiting.add(work);
    } else {
      work.run();
    }
  }

  @BeforeEach
  void start() {
    fixture = new GrantFixture(root);
    fixture.threads = threads;
    fixture.start(GrantFixture.CONFIG);
  }

  @AfterEach
  void resetInjector() {
    GrantFaultInjector.set(new GrantFaultInjector());
  }

  private CompletableFuture<List<GrantResult>> ask(String client, BlockKey block) {
    return fixture.service.grantLater(
        GrantFixture.holder(client), List.of(FakeHdfs.ask(block)), () -> false, WAIT_NANOS);
  }

  private static FallbackReason reason(CompletableFuture<List<GrantResult>> answer) {
    assertThat(answer).isDone();
    return ((GrantResult.Refused) answer.join().get(0)).reason();
  }

  private static void runAll(Queue<Runnable> queue) {
    for (Runnable work = queue.poll(); work != null; work = queue.poll()) {
      work.run();
    }
  }

  @Test
  void clientIsAnsweredAtItsDeadlineAndLaterOnesAtOnce() {
    BlockKey block = fixture.hdfs.write(1, 100);
    BlockKey other = fixture.hdfs.write(2, 100);
    hangs = true;

    CompletableFuture<List<GrantResult>> first = ask("a", block);
    CompletableFuture<List<GrantResult>> sharer = ask("b", block);
    assertThat(first).isNotDone();
    assertThat(sharer).isNotDone();
    runAll(timers);

    assertThat(reason(first)).isEqualTo(FallbackReason.VOLUME_STALLED);
    assertThat(reason(sharer)).isEqualTo(FallbackReason.VOLUME_STALLED);
    assertThat(reason(ask("c", other))).isEqualTo(FallbackReason.VOLUME_STALLED);
    assertThat(fixture.service.volumes().get(0).refusal().reason())
        .isEqualTo(FallbackReason.VOLUME_STALLED);
    assertThat(pinning).as("nothing more waits for the volume").hasSize(1);

    hangs = false;
    runAll(pinning);
    assertThat(fixture.links()).as("nobody wanted it any more").isEmpty();
    assertThat(fixture.service.volumes().get(0).refusal()).isNull();
    assertThat(fixture.lease("a", block)).isNotZero();
    assertThat(fixture.service.volumes().get(0).pins()).isEqualTo(1);
  }

  @Test
  void pinThatIsFinishedTooLateIsUndone() {
    BlockKey block = fixture.hdfs.write(1, 100);
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void afterInsert(BlockKey inserted) {
            runAll(timers);
          }
        });
    hangs = true;
    CompletableFuture<List<GrantResult>> answer = ask("a", block);
    hangs = false;
    runAll(pinning);

    assertThat(reason(answer)).isEqualTo(FallbackReason.VOLUME_STALLED);
    assertThat(fixture.links()).isEmpty();
    assertThat(fixture.service.leaseCount()).isZero();
    assertThat(fixture.service.volumes().get(0).pins()).isZero();
  }

  @Test
  void sharerThatGaveUpGetsNoLeaseLater() {
    BlockKey block = fixture.hdfs.write(1, 100);
    hangs = true;
    CompletableFuture<List<GrantResult>> owner = ask("a", block);
    Runnable ofOwner = timers.remove();
    CompletableFuture<List<GrantResult>> sharer = ask("b", block);
    runAll(timers);
    timers.add(ofOwner);
    hangs = false;
    runAll(pinning);

    assertThat(reason(sharer)).isEqualTo(FallbackReason.VOLUME_STALLED);
    assertThat(owner.join().get(0)).isInstanceOf(GrantResult.Granted.class);
    assertThat(fixture.service.leaseCount()).isEqualTo(1);
  }

  @Test
  void answeredRequestLeavesNoTimer() {
    BlockKey block = fixture.hdfs.write(1, 100);
    hangs = true;
    CompletableFuture<List<GrantResult>> answer = ask("a", block);
    hangs = false;
    runAll(pinning);

    assertThat(answer.join().get(0)).isInstanceOf(GrantResult.Granted.class);
    assertThat(timers).isEmpty();
  }

  @Test
  void volumeWithTooManyRequestsWaitingRefuses() {
    BlockKey block = fixture.hdfs.write(1, 100);
    full = true;

    assertThat(reason(ask("a", block))).isEqualTo(FallbackReason.VOLUME_STALLED);

    full = false;
    assertThat(fixture.lease("a", block)).isNotZero();
  }

  @Test
  void unlinksThatHangHoldNothingElseUpAndAreDoneLater() {
    BlockKey first = fixture.hdfs.write(1, 100);
    BlockKey second = fixture.hdfs.write(2, 100);
    long lease = fixture.lease("a", first);
    fixture.lease("a", second);
    hangs = true;
    fixture.giveBack("a", lease);
    fixture.pass(GrantFixture.LEASE_MILLIS + GrantFixture.IO_MILLIS + 1);
    fixture.service.upkeep();
    for (int i = 0; i < 10; i++) {
      fixture.service.sweep();
    }

    assertThat(fixture.service.leaseCount()).isZero();
    assertThat(fixture.links()).hasSize(4);
    assertThat(upkeep).as("a bounded number of tasks").hasSizeLessThanOrEqualTo(2);
    hangs = false;
    runAll(upkeep);
    assertThat(fixture.links()).isEmpty();
    assertThat(fixture.service.volumes().get(0).pins()).isZero();
  }

  @Test
  void volumeThatHangsWhileItIsOpenedIsShownAsStalled() {
    hangs = true;
    fixture.start(GrantFixture.CONFIG);

    assertThat(fixture.service.volumes()).as("not looked at yet").isEmpty();
    CompletableFuture<List<GrantResult>> answer = ask("a", fixture.hdfs.write(1, 100));
    assertThat(answer).isNotDone();
    runAll(timers);

    assertThat(fixture.service.volumes().get(0).refusal().reason())
        .isEqualTo(FallbackReason.VOLUME_STALLED);
    hangs = false;
    runAll(upkeep);
    runAll(pinning);
    assertThat(fixture.service.volumes().get(0).refusal()).isNull();
  }

  /** HDFS's lock of a block pool is one for all volumes, so that one that hangs may hold it up. */
  @Test
  void upkeepGoesOnWhileHdfsAnswersNothing() throws Exception {
    BlockKey gone = fixture.hdfs.write(1, 100);
    BlockKey stays = fixture.hdfs.write(2, 100);
    long lease = fixture.lease("a", gone);
    fixture.lease("a", stays);
    List<Long> recalled = fixture.recallsOf("a");
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answers = new CountDownLatch(1);
    fixture.hdfs.beforeIsCurrent =
        block -> {
          asked.countDown();
          assertThat(awaits(answers)).isTrue();
        };
    long looks = fixture.service.counters().sweeps();
    Thread looker = new Thread(fixture.service::look);
    looker.start();
    try {
      assertThat(awaits(asked)).isTrue();
      Files.delete(fixture.hdfs.replica(gone).blockFile());
      fixture.service.upkeep();
      assertThat(recalled).containsExactly(lease);
      fixture.pass(GrantFixture.LEASE_MILLIS + GrantFixture.IO_MILLIS + 1);
      fixture.service.upkeep();
      assertThat(fixture.links()).isEmpty();
      assertThat(fixture.service.counters().sweeps()).isEqualTo(looks);
    } finally {
      answers.countDown();
      looker.join(TimeUnit.SECONDS.toMillis(20));
    }
    assertThat(fixture.service.counters().sweeps()).isEqualTo(looks + 1);
    assertThat(fixture.service.counters().failures()).isZero();
  }

  private static boolean awaits(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
