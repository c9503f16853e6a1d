// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.write.WriteEnd;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Write leases in time: renewed, or ended before the kernel's timer comes (W9, W10). */
final class WriteLeaseTest {
  private static final int UNIT = WritersFixture.UNIT;
  private static final Duration TERM = Duration.ofSeconds(30).minus(FakeWritePlane.MARGIN);
  private final FallbackException silence =
      new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "no answer");

  private final WritersFixture fixture = new WritersFixture();
  private final FakeDataNode node = fixture.dataNode("a");
  private final ByteBuffer bytes = WritersFixture.bytes(UNIT, 1);
  private final ByteBuffer crcs = ByteBuffer.wrap(new byte[4]);

  @AfterEach
  void close() {
    fixture.close();
  }

  private static FallbackException refusal(ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal;
  }

  private void write(BlockWriter writer, long offset) throws FallbackException {
    writer.write(offset, WritersFixture.address(bytes), UNIT, false);
  }

  private MemorySlotDevice.Lease lease(int number) {
    return node.leaseOn(node.lent.get(number));
  }

  @Test
  void deadlineOfTheLibraryIsThatOfTheDataNodeOnTheOtherClock() throws Exception {
    long now = fixture.boot.get();
    try (BlockWriter writer = fixture.open(node, 1)) {
      assertThat(lease(0).deadline()).isEqualTo(now + TERM.toNanos());
      write(writer, 0);
    }
  }

  /** The thread is held up at each reading of a clock: what passes there makes the term shorter. */
  @Test
  void deadlineOfTheLibraryIsNeverLater() {
    LeaseClock slow =
        new LeaseClock(() -> readSlowly(fixture.terms::nanos), () -> readSlowly(fixture.boot::get));
    long deadline = fixture.terms.nanos() + TERM.toNanos();
    long right = fixture.boot.get() + TERM.toNanos();

    assertThat(slow.onBootClock(slow.cut(deadline)))
        .isLessThanOrEqualTo(right)
        .isGreaterThan(right - Duration.ofSeconds(10).toNanos());
  }

  private long readSlowly(LongSupplier clock) {
    fixture.standStill(Duration.ofSeconds(1));
    long now = clock.getAsLong();
    fixture.standStill(Duration.ofSeconds(1));
    return now;
  }

  @Test
  void leaseThatIsLongerThanTheLibraryTakesIsCut() throws Exception {
    node.leaseMillis = Duration.ofDays(1).toMillis();
    long now = fixture.boot.get();
    try (BlockWriter writer = fixture.open(node, 1)) {
      assertThat(lease(0).deadline())
          .isBetween(
              now + Duration.ofMinutes(50).toNanos(), now + Duration.ofMinutes(59).toNanos());
      fixture.run(Duration.ofHours(3));
      write(writer, 0);
    }
  }

  @Test
  void leaseIsRenewedAsLongAsItIsWanted() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      for (int i = 0; i < 60; i++) {
        fixture.run(Duration.ofSeconds(10));
        write(writer, (long) i * UNIT);
      }
      assertThat(node.renewals).hasSizeBetween(60, 70);
      writer.commit(60L * UNIT, crcs, new CommitPatience(1));
    }
    int before = node.renewals.size();
    fixture.run(Duration.ofMinutes(1));
    assertThat(node.renewals).hasSize(before);
  }

  @Test
  void oneRequestRenewsAllOfADataNode() throws Exception {
    FakeDataNode other = fixture.dataNode("b");
    List<BlockWriter> open = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      open.add(fixture.open(node, i));
      open.add(fixture.open(other, i));
      fixture.run(Duration.ofSeconds(1));
    }
    fixture.run(TERM);

    assertThat(node.renewals).hasSizeLessThan(5).containsOnly(5);
    assertThat(other.renewals).hasSizeLessThan(5).containsOnly(5);
    open.forEach(BlockWriter::close);
  }

  @Test
  void leaseThatIsNotRenewedIsEndedInTime() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      node.silence = silence;
      fixture.run(TERM.minus(TERM.dividedBy(9)));
      write(writer, 0);
      fixture.run(Duration.ofSeconds(5));

      assertThat(lease(0).end).isEqualTo(WriteEnd.CLEAN);
      FallbackException refusal = refusal(() -> write(writer, UNIT));
      assertThat(refusal.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
      assertThat(refusal.detail()).contains("BP-1:blk_1_1001").contains("not renewed in time");
    }
    assertThat(node.renewals.size()).as("tries").isBetween(3, 30);
  }

  @Test
  void leaseIsEndedInTimeWhileTheThreadThatRenewsIsHeldUp() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      fixture.renews = false;
      fixture.run(TERM.multipliedBy(3));

      assertThat(lease(0).end).isEqualTo(WriteEnd.CLEAN);
      assertThat(refusal(() -> write(writer, 0)).reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
    }
  }

  /** So that the tests above do not pass for want of a timer. */
  @Test
  void timerWouldHaveComeOtherwise() throws Exception {
    fixture.open(node, 1);
    fixture.standStill(TERM.minusNanos(1));
    assertThat(lease(0).kills()).isFalse();
    fixture.standStill(Duration.ofNanos(1));
    assertThat(lease(0).kills()).isTrue();
  }

  @Test
  void refusedRenewalEndsTheLeaseAtOnce() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      write(writer, 0);
      node.endsLeases = true;
      fixture.run(TERM.dividedBy(2));

      assertThat(lease(0).isEnded()).isTrue();
      assertThat(refusal(() -> write(writer, UNIT)).reason())
          .isEqualTo(FallbackReason.LEASE_EXPIRED);
    }
    try (BlockWriter writer = fixture.open(node, 2)) {
      write(writer, 0);
      fixture.run(TERM.dividedBy(2));
      FallbackException refusal = refusal(() -> writer.commit(UNIT, crcs, new CommitPatience(1)));
      assertThat(refusal.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
      assertThat(refusal.detail()).contains("its DataNode has ended it");
    }
    assertThat(node.commits).isEmpty();
    fixture.tend();
    assertThat(node.aborted).hasSize(2).allMatch(ended -> ended.quiet());
  }

  @Test
  void leaseThatTheLibraryDoesNotRenewIsEnded() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      lease(0).refusesRenewal = true;
      fixture.run(TERM.dividedBy(2));

      assertThat(lease(0).isEnded()).isTrue();
      assertThat(refusal(() -> write(writer, 0)).reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
    }
  }

  @Test
  void whatWasWrittenBeforeASilenceCanStillBeCommitted() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      write(writer, 0);
      node.silence = silence;
      fixture.run(TERM);
      assertThat(lease(0).isEnded()).isTrue();

      writer.commit(UNIT, crcs, new CommitPatience(1)); // the DataNode decides
    }
    assertThat(node.commits).containsExactly(UNIT);
  }

  /**
   * A flush or a commit may take its time: the DataNode's lease goes on, the library's is ended.
   */
  @Test
  void leaseIsRenewedDuringItsCommit() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      write(writer, 0);
      node.open(0).inFlush = () -> fixture.run(TERM.multipliedBy(2));
      writer.commit(UNIT, crcs, new CommitPatience(1));
    }
    assertThat(node.renewals.size()).isBetween(3, 10);
    assertThat(lease(0).deadlines).as("nothing is written by it any more").hasSize(1);
  }

  @Test
  void dataNodeThatCommitsAlreadyIsNotAskedForRenewals() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      write(writer, 0);
      node.endsLeases = true;
      node.open(0).inFlush = () -> fixture.run(TERM.multipliedBy(2));
      writer.commit(UNIT, crcs, new CommitPatience(1));
    }
    assertThat(node.renewals).hasSize(1);
    assertThat(node.commits).hasSize(1);
  }

  @Test
  void pauseOfTheMachineBeforeTheLeaseIsNotedEndsIt() {
    fixture.plane.before = () -> fixture.terms.advance(Duration.ofDays(1));
    FallbackException refusal = refusal(() -> fixture.open(node, 1));
    fixture.plane.before = () -> {};

    assertThat(refusal.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
    fixture.tend();
    assertThat(node.aborted).hasSize(1);
  }

  /** Then only the clock of terms has seen it: the library read its clocks behind it. */
  @Test
  void pauseOfTheMachineWhileTheLeaseIsNotedEndsIt() throws Exception {
    fixture.open(node, 1).close();
    node.open(0).inLease = () -> fixture.terms.advance(Duration.ofDays(1));

    assertThat(refusal(() -> fixture.open(node, 2)).reason())
        .isEqualTo(FallbackReason.LEASE_EXPIRED);
    node.open(0).inLease = () -> {};
    assertThat(lease(1).end).isEqualTo(WriteEnd.CLEAN);
  }

  @Test
  void pauseOfTheMachineEndsAllLeases() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      fixture.terms.advance(Duration.ofDays(1));
      fixture.tend();

      assertThat(lease(0).isEnded()).isTrue();
      assertThat(refusal(() -> write(writer, 0)).reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
    }
    assertThat(node.renewals).isEmpty();
  }

  /** Each question that nobody answers takes five seconds, as with hosts that are gone. */
  @Test
  void silentDataNodesDoNotHoldUpOthersForLong() throws Exception {
    List<BlockWriter> open = new ArrayList<>();
    for (String host : List.of("x", "y", "z")) {
      FakeDataNode silent = fixture.dataNode(host);
      open.add(fixture.open(silent, 1));
      silent.silence = silence;
    }
    open.add(fixture.open(node, 1));
    fixture.plane.before =
        () -> {
          if (!fixture.plane.asked().equals("a")) {
            fixture.passWithoutRenewals(Duration.ofSeconds(5));
          }
        };
    for (int i = 0; i < 10; i++) {
      fixture.run(Duration.ofSeconds(10));
      write(open.get(3), (long) i * UNIT);
    }
    for (int i = 0; i < 3; i++) {
      BlockWriter lost = open.get(i);
      assertThat(refusal(() -> write(lost, 0)).reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
    }
    fixture.plane.before = () -> {};
    open.forEach(BlockWriter::close);
  }

  @Test
  void deviceIsOpenedOnceAndClosedWhenItWasIdleForAWhile() throws Exception {
    BlockWriter first = fixture.open(node, 1);
    fixture.open(node, 2).close();
    fixture.run(SlotDevices.IDLE.multipliedBy(2));
    assertThat(node.open(0).isClosed).isFalse();
    first.close();
    fixture.run(SlotDevices.IDLE.dividedBy(2));
    assertThat(node.open(0).isClosed).isFalse();
    fixture.open(node, 3).close();
    assertThat(node.opened).hasSize(1);

    fixture.run(SlotDevices.IDLE.multipliedBy(2));
    assertThat(node.open(0).isClosed).isTrue();
    try (BlockWriter writer = fixture.open(node, 4)) {
      write(writer, 0);
    }
    assertThat(node.opened).hasSize(2);
  }
}
