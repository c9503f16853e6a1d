// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.plane.WritePlane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.write.SlotEnd;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.write.DeviceWriter;
import io.rdio.nativeio.write.WriteEnd;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One replica, from the slot to the commit, and a failure at each step of it. */
final class BlockWriterTest {
  private static final int UNIT = WritersFixture.UNIT;
  private static final int EIO = 5;

  private final WritersFixture fixture = new WritersFixture();
  private final FakeDataNode node = fixture.dataNode("a");
  private final ByteBuffer bytes = WritersFixture.bytes(5 * UNIT, 1);
  private final ByteBuffer crcs = ByteBuffer.wrap(new byte[] {1, 2, 3, 4});

  @AfterEach
  void close() {
    fixture.close();
  }

  private static FallbackReason reasonOf(ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal.reason();
  }

  private long at(int offset) {
    return WritersFixture.address(bytes) + offset;
  }

  private BlockWriter written() throws FallbackException {
    BlockWriter writer = fixture.open(node, 1);
    writer.write(0, at(0), 5 * UNIT, false);
    return writer;
  }

  private void requireToldQuiet(boolean quiet) {
    fixture.tend();
    assertThat(node.aborted).hasSize(1);
    assertThat(node.aborted.get(0).quiet()).isEqualTo(quiet);
  }

  @Test
  void bytesAreWhereTheSlotIsAndBecomeAReplica() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      assertThat(writer.unit()).isEqualTo(UNIT);
      assertThat(writer.capacity()).isEqualTo(FakeDataNode.SLOT_BYTES);
      writer.write(0, at(0), 3 * UNIT, false);
      writer.write(3 * UNIT, at(3 * UNIT), UNIT + 5, true);
      writer.commit(4 * UNIT + 5, crcs, new CommitPatience(1));
    }

    byte[] written = WritersFixture.array(bytes.duplicate().limit(4 * UNIT + 5));
    assertThat(node.written(0, written.length)).isEqualTo(written);
    assertThat(fixture.plane.committed).containsOnlyKeys("a 1");
    assertThat(fixture.plane.committed.get("a 1")).isEqualTo(crcs.array());
    assertThat(crcs.remaining()).isEqualTo(4);
    fixture.run(Duration.ofMinutes(5));
    assertThat(node.aborted).isEmpty();
    assertThat(node.renewals).isEmpty();
  }

  @Test
  void tokenAndAskGoToTheDataNode() throws Exception {
    fixture.writers.open(node.id, new byte[] {7}, WritersFixture.ask(9)).close();

    assertThat(node.lent.get(0).block().token()).containsExactly(7);
    assertThat(node.lent.get(0).block().block()).isEqualTo(WritersFixture.block(9));
  }

  @Test
  void refusalOfTheDataNodeIsHandedOn() {
    node.refusal = new FallbackException(FallbackReason.SLOTS_EXHAUSTED, "none");

    assertThat(reasonOf(() -> fixture.open(node, 1))).isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
    fixture.tend();
    assertThat(node.opened).isEmpty();
    assertThat(node.aborted).isEmpty();
  }

  @Test
  void slotIsGivenBackIfItsDeviceCannotBeOpened() {
    node.noDevice = new FallbackException(FallbackReason.DEVICE_PERMISSION, "not yours");

    assertThat(reasonOf(() -> fixture.open(node, 1))).isEqualTo(FallbackReason.DEVICE_PERMISSION);
    requireToldQuiet(true);
  }

  private void mayBeLate() {
    fixture.lateness =
        (path, most) -> {
          assertThat(path).isEqualTo(node.place.node());
          assertThat(most).as("what the quarantine is made of").isEqualTo(FakeDataNode.IO_MILLIS);
          throw new FallbackException(FallbackReason.WRITE_UNBOUNDED, "fast_io_fail_tmo off");
        };
  }

  @Test
  void deviceThatAWriteMayReachTooLateIsNotOpened() {
    mayBeLate();

    assertThat(reasonOf(() -> fixture.open(node, 1))).isEqualTo(FallbackReason.WRITE_UNBOUNDED);
    assertThat(node.opened).isEmpty();
    requireToldQuiet(true);
  }

  /** Somebody may change the kernel's times while it is open, or connect one more path. */
  @Test
  void deviceThatIsOpenIsLookedAtForEachLease() throws Exception {
    fixture.open(node, 1).close();
    fixture.tend();
    node.aborted.clear();
    mayBeLate();

    assertThat(reasonOf(() -> fixture.open(node, 2))).isEqualTo(FallbackReason.WRITE_UNBOUNDED);
    requireToldQuiet(true);
  }

  @Test
  void slotIsGivenBackIfTheLibraryTakesNoLeaseOnIt() throws Exception {
    fixture.open(node, 1).close();
    fixture.tend();
    node.aborted.clear();
    node.open(0).noLease = "ERANGE";

    assertThat(reasonOf(() -> fixture.open(node, 2))).isEqualTo(FallbackReason.DEVICE_MISMATCH);
    requireToldQuiet(true);
    fixture.run(SlotDevices.IDLE);
    assertThat(node.open(0).isClosed).as("not used any more").isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void nothingIsWrittenWithoutAllStamps(int wrong) {
    node.wrongStamp = wrong;
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> fixture.open(node, 1));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_MISMATCH);
    assertThat(refusal.detail())
        .contains("number=" + wrong)
        .endsWith("is no stamp")
        .contains(node.device.toString());
    requireToldQuiet(true);
    assertThat(fixture.directory.forgotten).containsExactly(node.device);
    assertThat(node.open(0).isClosed).as("another device may be there next time").isTrue();
  }

  /** A write that failed may have been sent. */
  @Test
  void slotIsSaidToBeUnwrittenIfNothingWasHandedToTheLibrary() throws Exception {
    fixture.open(node, 1).close();
    written().close();
    BlockWriter failing = fixture.open(node, 2);
    node.open(0).writeError = -EIO;
    assertThat(reasonOf(() -> failing.write(0, at(0), UNIT, false)))
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    failing.close();

    fixture.tend();
    assertThat(node.aborted)
        .extracting(WritePlane.Ended::how)
        .containsExactly(SlotEnd.UNWRITTEN, SlotEnd.QUIET, SlotEnd.QUIET);
  }

  @Test
  void failedWriteEndsInAnAbort() throws Exception {
    BlockWriter writer = written();
    node.open(0).writeError = -EIO;

    assertThatThrownBy(() -> writer.write(5 * UNIT, at(0), UNIT, false))
        .isInstanceOf(FallbackException.class)
        .hasMessageContaining("DEVICE_IO_ERROR")
        .hasMessageContaining("EIO")
        .hasMessageContaining("/dev/a");
    node.open(0).writeError = 0;
    assertThat(reasonOf(() -> writer.write(5 * UNIT, at(0), UNIT, false)))
        .as("it does not go on behind a hole")
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    writer.close();

    requireToldQuiet(true);
    assertThat(node.commits).isEmpty();
    assertThat(fixture.directory.forgotten).containsExactly(node.device);
  }

  @Test
  void errorOfAWriteThatTheLibraryAloneHasSeenPreventsTheCommit() throws Exception {
    BlockWriter writer = written();
    node.leaseOn(node.lent.get(0)).saysAtEnd = WriteEnd.FAILED;

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    writer.close();
    requireToldQuiet(true);
    assertThat(node.commits).isEmpty();
  }

  @Test
  void writeThatIsNotAnsweredPreventsTheCommitAndIsNotQuiet() throws Exception {
    BlockWriter writer = written();
    MemorySlotDevice.Lease lease = node.leaseOn(node.lent.get(0));
    lease.saysAtEnd = WriteEnd.UNDER_WAY;

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    writer.close();
    requireToldQuiet(false);
    assertThat(node.commits).isEmpty();

    fixture.run(SlotDevices.IDLE.multipliedBy(2));
    assertThat(node.open(0).isClosed).as("a write is under way on it").isFalse();
    lease.saysAtEnd = null;
    fixture.run(SlotDevices.IDLE.multipliedBy(2));
    assertThat(node.open(0).isClosed).isTrue();
    assertThat(node.aborted).as("told once").hasSize(1);
  }

  @Test
  void nobodyIsToldBeforeTheLeaseIsEnded() throws Exception {
    BlockWriter writer = written();
    MemorySlotDevice.Lease lease = node.leaseOn(node.lent.get(0));
    lease.saysAtEnd = WriteEnd.NOT_ENDED;
    writer.close();
    fixture.run(Duration.ofSeconds(1));
    assertThat(node.aborted).isEmpty();

    lease.saysAtEnd = null;
    fixture.run(Duration.ofSeconds(1));
    requireToldQuiet(true);
  }

  @Test
  void failedFlushPreventsAllCommitsOfWhatWasWrittenBefore() throws Exception {
    BlockWriter first = written();
    BlockWriter second = fixture.open(node, 2);
    second.write(0, at(0), UNIT, false);
    node.open(0).flushError = -EIO;

    assertThat(reasonOf(() -> first.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    node.open(0).flushError = 0; // the kernel tells of an error once
    assertThat(reasonOf(() -> second.commit(UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    first.close();
    second.close();

    fixture.tend();
    assertThat(node.aborted).hasSize(2).allMatch(ended -> ended.quiet());
    assertThat(node.commits).isEmpty();
    assertThat(node.open(0).isClosed).isTrue();
    try (BlockWriter third = fixture.open(node, 3)) {
      third.write(0, at(0), UNIT, false);
      third.commit(UNIT, crcs, new CommitPatience(1));
    }
    assertThat(node.opened).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "METADATA_PLANE_UNREACHABLE",
        "METADATA_PLANE_BACKOFF",
        "SESSION_UNKNOWN",
        "DATANODE_BUSY",
        "DATANODE_NOT_READY"
      })
  void commitWithoutAnAnswerIsAskedAgain(FallbackReason silence) throws Exception {
    BlockWriter writer = written();
    node.commitRefusals.add(new FallbackException(silence, "no answer"));
    node.commitRefusals.add(new FallbackException(silence, "no answer"));

    writer.commit(5 * UNIT, crcs, new CommitPatience(1));
    writer.close();

    assertThat(node.commits).containsExactly(5 * UNIT, 5 * UNIT, 5 * UNIT);
    fixture.tend();
    assertThat(node.aborted).isEmpty();
  }

  @Test
  void commitIsNotAskedAgainForEver() throws Exception {
    BlockWriter writer = written();
    for (int i = 0; i < 20; i++) {
      node.commitRefusals.add(
          new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "no answer"));
    }
    fixture.plane.before = () -> fixture.standStill(WritersFixture.TRIES.within().dividedBy(4));

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(node.commits).hasSize(4);
    writer.close();
    requireToldQuiet(true);
  }

  @Test
  void commitIsNotAskedAgainOnceAllIsClosed() throws Exception {
    BlockWriter writer = written();
    node.commitRefusals.add(new FallbackException(FallbackReason.DATANODE_BUSY, "busy"));
    fixture.plane.before =
        () -> {
          fixture.plane.before = () -> {};
          fixture.writers.close();
        };

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.DATANODE_BUSY);
    assertThat(node.commits).hasSize(1);
    writer.close();
  }

  @Test
  void refusedCommitIsNotAskedAgain() throws Exception {
    BlockWriter writer = written();
    node.commitRefusals.add(new FallbackException(FallbackReason.CHECKSUM_MISMATCH, "no"));

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(node.commits).hasSize(1);
    writer.close();
    requireToldQuiet(true);
  }

  @Test
  void interruptedCommitSaysSo() throws Exception {
    BlockWriter writer = written();
    node.commitRefusals.add(new FallbackException(FallbackReason.DATANODE_BUSY, "busy"));
    fixture.plane.before = () -> Thread.currentThread().interrupt();

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.INTERRUPTED);
    assertThat(Thread.interrupted()).isTrue();
    fixture.plane.before = () -> {};
    writer.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {DeviceWriter.ETIME, DeviceWriter.ECANCELED, Errno.ENOENT})
  void writeOfALeaseThatIsOverSaysSo(int error) throws Exception {
    BlockWriter writer = written();
    node.open(0).writeError = -error;

    assertThat(reasonOf(() -> writer.write(5 * UNIT, at(0), UNIT, false)))
        .isEqualTo(FallbackReason.LEASE_EXPIRED);
    writer.close();
    assertThat(fixture.directory.forgotten).as("the device is in order").isEmpty();
  }

  @Test
  void rangesStayInTheSlot() throws Exception {
    try (BlockWriter writer = written()) {
      assertThatThrownBy(() -> writer.write(-UNIT, at(0), UNIT, false))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(-UNIT + " of BP-1:blk_1_1001");
      assertThatThrownBy(
              () -> writer.write(5 * UNIT, at(0), FakeDataNode.SLOT_BYTES - 4 * UNIT, false))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.write(5 * UNIT, at(0), -UNIT, false))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.commit(5 * UNIT - 1, crcs, new CommitPatience(1)))
          .isInstanceOf(IllegalArgumentException.class);
      writer.commit(5 * UNIT, crcs, new CommitPatience(1));
    }
  }

  @Test
  void writeBehindTheEndOfOneThatFailedHearsWhyItDid() throws Exception {
    BlockWriter writer = written();
    node.open(0).writeError = -EIO;
    assertThat(reasonOf(() -> writer.write(5 * UNIT, at(0), UNIT, false)))
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    writer.close();

    assertThat(reasonOf(() -> writer.write(6 * UNIT, at(0), UNIT, false)))
        .as("by a thread that came later to it")
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
  }

  @Test
  void emptyBlockCannotBeCommitted() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      assertThatThrownBy(() -> writer.commit(0, crcs, new CommitPatience(1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    requireToldQuiet(true);
  }

  @Test
  void closedWriterDoesNothing() throws Exception {
    BlockWriter writer = written();
    writer.close();
    writer.close();

    assertThatThrownBy(() -> writer.write(5 * UNIT, at(0), UNIT, false))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1)))
        .isInstanceOf(IllegalStateException.class);
    requireToldQuiet(true);
    assertThat(node.commits).isEmpty();
  }
}
