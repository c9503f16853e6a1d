// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.extent.ExtentList;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.WriteLibrary;
import io.rdio.nativeio.write.DeviceOpenException;
import io.rdio.nativeio.write.DeviceWriter;
import io.rdio.nativeio.write.SlotExtents;
import io.rdio.nativeio.write.WriteEnd;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/** A device by librdio-write, or the range of a disk that is the DataNode's device. Thread-safe. */
final class NativeSlotDevice implements SlotDevice {
  private final DeviceWriter writer;
  private final long startBytes;

  private NativeSlotDevice(DeviceWriter writer, long startBytes) {
    this.writer = writer;
    this.startBytes = startBytes;
  }

  /** How a node is opened; tests open images. */
  interface Opening {
    DeviceWriter open(String node) throws IOException;
  }

  /**
   * Opens a device for writing, and makes sure by that descriptor that it is the one meant.
   *
   * @throws FallbackException NATIVE_LIBRARY_UNAVAILABLE, DEVICE_PERMISSION, DEVICE_NOT_FOUND,
   *     DEVICE_MISMATCH or DEVICE_IO_ERROR; AGENT_BUSY if this process can have no more open,
   *     AGENT_UNAVAILABLE if it can have none; nothing is left open then
   */
  static SlotDevice open(DevicePlace place, DeviceIdentity identity, Opening opening)
      throws FallbackException {
    NativeAvailability library = WriteLibrary.availability();
    if (!library.isAvailable()) {
      throw new FallbackException(
          FallbackReason.NATIVE_LIBRARY_UNAVAILABLE, library.toString(), library.cause());
    }
    DeviceWriter writer = open(place, opening);
    boolean isRight = false;
    try {
      requireSize(writer, place, identity);
      identity.requireShownBy(new Shown(writer, place.startBytes(), identity.sizeBytes()));
      isRight = true;
      return new NativeSlotDevice(writer, place.startBytes());
    } finally {
      if (!isRight) {
        SharedDevice.closeQuietly(writer::close);
      }
    }
  }

  private static DeviceWriter open(DevicePlace place, Opening opening) throws FallbackException {
    try {
      return opening.open(place.node().toString());
    } catch (DeviceOpenException e) {
      throw new FallbackException(reason(e.errno()), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw new FallbackException(
          FallbackReason.NATIVE_LIBRARY_UNAVAILABLE, String.valueOf(e.getMessage()), e);
    }
  }

  /** What is wrong with this process is no device's fault, nor its DataNode's. */
  private static FallbackReason reason(int errno) {
    return switch (errno) {
      // EAGAIN is of timer_create: no more signals may be pending for this user.
      case Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN -> FallbackReason.AGENT_BUSY;
      case Errno.EOPNOTSUPP -> FallbackReason.AGENT_UNAVAILABLE;
      case Errno.EACCES, Errno.EPERM, Errno.EROFS, Errno.EBUSY -> FallbackReason.DEVICE_PERMISSION;
      case Errno.ENOENT, Errno.ENOTDIR, Errno.ENXIO, Errno.ENODEV, Errno.ENOTBLK ->
          FallbackReason.DEVICE_NOT_FOUND;
      case Errno.ESTALE -> FallbackReason.DEVICE_MISMATCH;
      default -> FallbackReason.DEVICE_IO_ERROR;
    };
  }

  private static void requireSize(DeviceWriter writer, DevicePlace place, DeviceIdentity identity)
      throws FallbackException {
    long size = writer.sizeBytes();
    boolean isRight =
        place.startBytes() == 0
            ? size == identity.sizeBytes()
            : place.startBytes() <= size - identity.sizeBytes();
    if (!isRight) {
      throw new FallbackException(
          FallbackReason.DEVICE_MISMATCH,
          writer + " has " + size + " bytes now and is not " + identity);
    }
  }

  @Override
  public SlotLease lease(ExtentList extents, int unit, long deadlineNanos) throws IOException {
    long[] places = new long[extents.count()];
    long[] lengths = new long[extents.count()];
    for (int i = 0; i < places.length; i++) {
      places[i] = startBytes + extents.physical(i);
      lengths[i] = extents.end(i) - extents.start(i);
    }
    return new Lease(writer, writer.lease(new SlotExtents(places, lengths, unit), deadlineNanos));
  }

  @Override
  public int flush() {
    return writer.flush();
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }

  @Override
  public String toString() {
    return writer + (startBytes == 0 ? "" : "+" + startBytes);
  }

  /** A lease by its handle. */
  private record Lease(DeviceWriter writer, long handle) implements SlotLease {
    @Override
    public int renew(long deadlineNanos) {
      return writer.renew(handle, deadlineNanos);
    }

    @Override
    public int readStamps(ByteBuffer to, int unit) {
      return writer.readStamps(handle, to, unit);
    }

    @Override
    public int write(long offset, long address, int length, boolean isLast) {
      return writer.write(handle, offset, address, length, isLast);
    }

    @Override
    public WriteEnd end(long timeoutNanos) {
      return writer.end(handle, timeoutNanos);
    }
  }

  /** What the descriptor that writes shows. */
  private record Shown(DeviceWriter writer, long startBytes, long sizeBytes)
      implements BlockDevice {
    @Override
    public String name() {
      return writer + ", open for writing,";
    }

    @Override
    public int alignment() {
      return writer.blockBytes();
    }

    @Override
    public void read(long offset, ByteBuffer target) throws FallbackException {
      int length = target.remaining();
      long address = DirectReader.addressOf(target) + target.position();
      int result;
      try {
        result = writer.read(address, length, startBytes + offset);
      } finally {
        Reference.reachabilityFence(target);
      }
      if (result != length) {
        throw new FallbackException(
            FallbackReason.DEVICE_IO_ERROR,
            "read of "
                + length
                + " bytes of "
                + writer
                + ": "
                + (result < 0 ? Errno.text(result) : "only " + result + " were read"));
      }
      target.position(target.limit());
    }
  }
}
