// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.client.write.WritersFixture.reasonOf;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.write.WriteEnd;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** The end of all writers, and their threads. */
final class BlockWritersCloseTest {
  private static final int UNIT = WritersFixture.UNIT;

  private final WritersFixture fixture = new WritersFixture();
  private final FakeDataNode node = fixture.dataNode("a");
  private final ByteBuffer bytes = WritersFixture.bytes(UNIT, 1);

  private void write(BlockWriter writer, long offset) throws FallbackException {
    writer.write(offset, WritersFixture.address(bytes), UNIT, false);
  }

  @Test
  void closeEndsAllAndTellsTheirDataNodes() throws Exception {
    FakeDataNode other = fixture.dataNode("b");
    BlockWriter first = fixture.open(node, 1);
    fixture.open(node, 2);
    fixture.open(other, 1);
    write(first, 0);

    fixture.close();
    fixture.close();

    assertThat(node.aborted).hasSize(2).allMatch(ended -> ended.quiet());
    assertThat(other.aborted).hasSize(1);
    assertThat(node.open(0).isClosed).isTrue();
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> write(first, UNIT));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
    first.close();
    assertThat(node.aborted).as("told once").hasSize(2);
  }

  @Test
  void closeInMidWriteIsNotQuiet() throws Exception {
    BlockWriter writer = fixture.open(node, 1);
    node.open(0).inWrite = fixture::close;
    write(writer, 0); // which the device answers behind it

    assertThat(node.aborted).hasSize(1);
    assertThat(node.aborted.get(0).quiet()).isFalse();
    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class,
            () -> writer.commit(UNIT, ByteBuffer.allocate(4), new CommitPatience(1)));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
    writer.close();
    assertThat(node.commits).isEmpty();
    fixture.tend();
    assertThat(node.open(0).isClosed).as("the last lease on it is over").isTrue();
  }

  @Test
  void nothingIsOpenedBehindIt() {
    fixture.close();

    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> fixture.open(node, 1));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.AGENT_UNAVAILABLE);
    assertThat(node.lent).isEmpty();
  }

  @Test
  void whatIsBeingOpenedMeanwhileIsGivenUp() {
    fixture.plane.before =
        () -> {
          fixture.plane.before = () -> {};
          fixture.close();
        };

    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> fixture.open(node, 1));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.AGENT_UNAVAILABLE);
    fixture.tend();
    assertThat(node.aborted).hasSize(1);
    assertThat(node.opened).isEmpty();
  }

  @Test
  void leaseThatIsBeingNotedMeanwhileIsEnded() throws Exception {
    fixture.open(node, 1);
    node.open(0).inLease = fixture::close;

    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> fixture.open(node, 2));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.AGENT_UNAVAILABLE);
    assertThat(node.open(0).leases).hasSize(2).allMatch(MemorySlotDevice.Lease::isEnded);
    assertThat(node.open(0).isClosed).isTrue();
  }

  @Test
  void dataNodeThatDoesNotAnswerDoesNotKeepTheOthersFromBeingTold() throws Exception {
    FakeDataNode other = fixture.dataNode("b");
    fixture.open(node, 1);
    fixture.open(other, 1);
    node.silence = new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "gone");

    fixture.close();
    assertThat(other.aborted).hasSize(1);
  }

  @Test
  void tooManyReplicasAreRefusedBeforeAnybodyIsAsked() throws Exception {
    for (int i = 0; i < HeldLeases.MAX; i++) {
      fixture.open(node, i);
    }
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> fixture.open(node, 0));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.AGENT_BUSY);
    assertThat(node.lent).hasSize(HeldLeases.MAX);
    fixture.close();
  }

  /** The library takes few more, and what it does not take would look like the device's fault. */
  @Test
  void replicasThatAreBeingOpenedCount() throws Exception {
    for (int i = 1; i < HeldLeases.MAX; i++) {
      fixture.open(node, i);
    }
    List<FallbackReason> meanwhile = new ArrayList<>();
    fixture.plane.before =
        () -> {
          fixture.plane.before = () -> {};
          meanwhile.add(reasonOf(() -> fixture.open(node, 2_000)));
        };

    fixture.open(node, 3_000);

    assertThat(meanwhile).containsExactly(FallbackReason.AGENT_BUSY);
    assertThat(node.lent).hasSize(HeldLeases.MAX);
    fixture.close();
  }

  @Test
  void replicasThatWereRefusedDoNotCount() throws Exception {
    node.refusal = new FallbackException(FallbackReason.SLOTS_EXHAUSTED, "none");
    for (int i = 0; i <= HeldLeases.MAX; i++) {
      assertThat(reasonOf(() -> fixture.open(node, 1))).isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
    }
    node.refusal = null;

    fixture.open(node, 1).close();
    fixture.close();
  }

  /** By the clocks of this machine, and by the threads that are there for it. */
  @Test
  void threadsRenewAndEndInTime() throws Exception {
    FakeDataNode lender = new FakeDataNode("t", UNIT, System::nanoTime);
    lender.leaseMillis = FakeWritePlane.MARGIN.plusSeconds(3).toMillis();
    FakeWritePlane plane = new FakeWritePlane(Map.of(lender.id, lender), System::nanoTime);
    LongAdder failures = new LongAdder();
    SlotDevices devices =
        new SlotDevices(
            new FakeDirectory(Map.of(lender.id, lender).values()),
            WritersFixture.host(
                (place, identity) -> lender.open(), (node, most) -> {}, new FakeRegistration()),
            System::nanoTime,
            Duration.ofMinutes(1));
    try (BlockWriters writers =
        new BlockWriters(
            plane,
            devices,
            new LeaseClock(System::nanoTime, System::nanoTime),
            WritersFixture.TRIES,
            failures)) {
      writers.start();
      BlockWriter renewed = writers.open(lender.id, new byte[0], WritersFixture.ask(1));
      MemorySlotDevice.Lease lease = lender.leaseOn(lender.lent.get(0));
      await().until(() -> lender.renewals.size() > 2);
      write(renewed, 0);
      assertThat(lease.deadlines.size()).isGreaterThan(2);

      lender.silence = new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "gone");
      await().atMost(Duration.ofSeconds(10)).until(lease::isEnded);
      assertThat(lease.wasLate).isFalse();
      assertThat(lease.end).isEqualTo(WriteEnd.CLEAN);
      lender.silence = null;
      renewed.close();
      await().until(() -> lender.aborted.size() == 1);
    }
    assertThat(failures.sum()).isZero();
  }
}
