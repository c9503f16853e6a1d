// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.client.write.GroupFixture.LENGTH;
import static io.rdio.client.write.GroupFixture.UNIT;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One device of three does not answer: the others go on, and this one is left when it does. */
@Timeout(60)
final class SilentDeviceTest {
  /** Short, for only the silent one is waited for: the others have answered before. */
  private static final Duration TIMEOUT = Duration.ofMillis(20);

  private final GroupFixture group = new GroupFixture(TIMEOUT);
  private final WritersFixture fixture = group.writers;
  private final FakeDataNode silent = group.nodes.get(1);
  private final CountDownLatch answers = new CountDownLatch(1);
  private final Semaphore hanging = new Semaphore(0);
  private final Aside aside = new Aside();

  @AfterEach
  void close() {
    answers.countDown();
    group.close();
  }

  /**
   * Does all at once; but of the next round the second target is left to a thread of its own, once
   * that hangs.
   */
  private final class Aside implements Executor {
    private int left = -1;

    void next() {
      left = 1;
    }

    @Override
    public void execute(Runnable work) {
      if (left-- == 0) {
        group.threads.execute(work);
        awaitHanging();
      } else {
        work.run();
      }
    }
  }

  private void awaitHanging() {
    try {
      assertThat(hanging.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void hang() {
    hanging.release();
    try {
      assertThat(answers.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A writer that has lost the silent target in its first write. */
  private GroupWriter bereft() throws FallbackException {
    GroupWriter writer = group.open(aside);
    silent.open(0).inWrite = this::hang;
    aside.next();
    group.write(writer, 0, UNIT);
    return writer;
  }

  private MemorySlotDevice.Lease lease() {
    return silent.leaseOn(silent.lent.get(0));
  }

  private void awaitAborted() {
    await()
        .until(
            () -> {
              fixture.tend();
              return silent.aborted.size() == 1;
            });
  }

  @Test
  void othersGoOnAndAreCommitted() throws Exception {
    try (GroupWriter writer = bereft()) {
      assertThat(writer.alive()).isEqualTo(0b101);
      group.write(writer, UNIT, LENGTH);
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b101);
    }
    group.requireReplica(0);
    group.requireReplica(2);
    answers.countDown();
    awaitAborted();
    assertThat(silent.commits).as("what it wrote late is nobody's replica").isEmpty();
  }

  /** Memory is the device's until it has answered, whoever has put what there meanwhile. */
  @Test
  void memoryIsStillReadFromUntilItAnswers() throws Exception {
    GroupWriter writer = bereft();
    assertThat(writer.isUnderWay()).isTrue();
    writer.close();
    assertThat(writer.isUnderWay()).isTrue();

    answers.countDown();
    await().until(() -> !writer.isUnderWay());
  }

  /** Ended before, the lease could not be renewed, and the timer would kill this process. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void leaseIsRenewedUntilItAnswersAndEndedThen(boolean byWaiting) throws Exception {
    GroupWriter writer = bereft();
    silent.open(0).writesByWaiting = byWaiting;
    writer.close();
    fixture.run(Duration.ofMinutes(3));
    fixture.requireAlive();
    assertThat(lease().end).isNull();
    assertThat(silent.aborted).isEmpty();
    assertThat(silent.renewals.size()).isGreaterThan(6);

    answers.countDown();
    awaitAborted();
    assertThat(silent.aborted.get(0).quiet()).isTrue();
    fixture.run(SlotDevices.IDLE.multipliedBy(2));
    assertThat(silent.open(0).isClosed).isTrue();
  }

  @Test
  void noMoreIsBegunOnItAndNobodyIsWaitedForTwice() throws Exception {
    try (GroupWriter writer = bereft()) {
      group.begin(writer, UNIT, 2 * UNIT);
      group.begin(writer, 2 * UNIT, LENGTH);
      writer.finishOldest();
      writer.finishOldest();
      assertThat(writer.alive()).isEqualTo(0b101);
    }
    answers.countDown();
    awaitAborted();
    assertThat(silent.written(0, 2 * UNIT)).endsWith(new byte[UNIT]);
  }

  /** Rounds of four windows were begun before it was known. */
  @Test
  void windowsThatWereBegunBeforeCostOneWait() throws Exception {
    GroupWriter writer = group.open(aside);
    silent.open(0).inWrite = this::hang;
    aside.next();
    group.begin(writer, 0, UNIT);
    aside.next();
    group.begin(writer, UNIT, 2 * UNIT);
    writer.finishOldest();
    assertThat(writer.alive()).isEqualTo(0b101);
    writer.finishOldest();
    assertThat(writer.alive()).isEqualTo(0b101);
    writer.close();

    fixture.run(Duration.ofMinutes(3));
    fixture.requireAlive();
    answers.countDown();
    awaitAborted();
  }

  @Test
  void writeFailsWhenNoneIsLeft() throws Exception {
    group.nodes.get(0).failsWrites = true;
    group.nodes.get(2).failsWrites = true;
    GroupWriter writer = group.open(aside);
    silent.open(0).inWrite = this::hang;
    aside.next();

    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> group.write(writer, 0, UNIT));
    assertThat(refusal).isNotNull();
    assertThat(writer.alive()).isZero();
    writer.close();
  }

  @Test
  void flushThatIsNotAnsweredCostsItsReplicaAlone() throws Exception {
    try (GroupWriter writer = group.open(aside)) {
      group.write(writer, 0, LENGTH);
      silent.open(0).inFlush = this::hang;
      aside.next();
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b101);
    }
    assertThat(silent.aborted).isEmpty();
    fixture.run(Duration.ofMinutes(1));
    fixture.requireAlive();

    answers.countDown();
    awaitAborted();
    assertThat(silent.aborted.get(0).quiet()).isTrue();
    assertThat(silent.commits).isEmpty();
    fixture.run(SlotDevices.IDLE.multipliedBy(2));
    assertThat(silent.open(0).isClosed).as("nobody flushes it any more").isTrue();
  }

  @Test
  void deviceThatIsNotOpenedInTimeRefusesItsTarget() {
    silent.inOpen = this::hang;
    aside.next();

    TargetRefusedException refusal =
        catchThrowableOfType(TargetRefusedException.class, () -> group.open(aside));
    assertThat(refusal).isNotNull();
    assertThat(refusal.target()).isEqualTo(1);
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    fixture.tend();
    assertThat(group.nodes.get(0).aborted).hasSize(1);
    assertThat(group.nodes.get(2).aborted).hasSize(1);

    answers.countDown();
    awaitAborted();
    assertThat(silent.aborted.get(0).quiet()).isTrue();
  }

  /** Or each block would have to find out by itself, and leave a thread there. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void deviceThatOwesAnAnswerTakesNoFurtherBlock(boolean hasFailedSince) throws Exception {
    BlockWriter other = fixture.open(silent, 4);
    GroupWriter writer = bereft();
    if (hasFailedSince) { // so that who comes next opens it anew
      silent.open(0).inWrite = () -> {};
      silent.failsWrites = true;
      long address = WritersFixture.address(group.bytes);
      assertThat(
              catchThrowableOfType(
                  FallbackException.class, () -> other.write(0, address, UNIT, false)))
          .isNotNull();
      silent.failsWrites = false;
    }
    fixture.standStill(TIMEOUT.plusNanos(1));

    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> fixture.open(silent, 2));
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    assertThat(refusal.detail()).contains("/dev/b is not written to: it owes 1 answers");
    writer.close();
    other.close();
    answers.countDown();
    await().until(() -> !writer.isUnderWay());
    fixture.open(silent, 3).close();
  }
}
