// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.client.write.WritersFixture.reasonOf;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One replica: the slot, its device and what is written, and a failure at each step. */
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

  private long at(int offset) {
    return WritersFixture.address(bytes) + offset;
  }

  private BlockWriter written() throws FallbackException {
    BlockWriter writer = fixture.open(node, 1);
    writer.write(0, at(0), 5 * UNIT, false);
    return writer;
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
    fixture.requireToldQuiet(node, true);
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
    fixture.requireToldQuiet(node, true);
  }

  /** Somebody may change the kernel's times while it is open, or connect one more path. */
  @Test
  void deviceThatIsOpenIsLookedAtForEachLease() throws Exception {
    fixture.open(node, 1).close();
    fixture.tend();
    node.aborted.clear();
    mayBeLate();

    assertThat(reasonOf(() -> fixture.open(node, 2))).isEqualTo(FallbackReason.WRITE_UNBOUNDED);
    fixture.requireToldQuiet(node, true);
  }

  @Test
  void slotIsGivenBackIfTheLibraryTakesNoLeaseOnIt() throws Exception {
    fixture.open(node, 1).close();
    fixture.tend();
    node.aborted.clear();
    node.open(0).noLease = "ERANGE";

    assertThat(reasonOf(() -> fixture.open(node, 2))).isEqualTo(FallbackReason.DEVICE_MISMATCH);
    fixture.requireToldQuiet(node, true);
    fixture.run(SlotDevices.IDLE);
    assertThat(node.open(0).isClosed).as("not used any more").isTrue();
  }

  /** Another DataNode's slot would find no room either. */
  @Test
  void libraryThatHasNoRoomIsNoFaultOfTheDevice() throws Exception {
    fixture.open(node, 1).close();
    fixture.tend();
    node.aborted.clear();
    node.open(0).hasNoRoom = true;

    assertThat(reasonOf(() -> fixture.open(node, 2))).isEqualTo(FallbackReason.AGENT_BUSY);
    fixture.requireToldQuiet(node, true);
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
    fixture.requireToldQuiet(node, true);
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

    fixture.requireToldQuiet(node, true);
    assertThat(node.commits).isEmpty();
    assertThat(fixture.directory.forgotten).containsExactly(node.device);
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
    fixture.requireToldQuiet(node, true);
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
  void closedWriterDoesNothing() throws Exception {
    BlockWriter writer = written();
    writer.close();
    writer.close();

    assertThatThrownBy(() -> writer.write(5 * UNIT, at(0), UNIT, false))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1)))
        .isInstanceOf(IllegalStateException.class);
    fixture.requireToldQuiet(node, true);
    assertThat(node.commits).isEmpty();
  }
}
