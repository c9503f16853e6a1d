// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.Ring;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A device, or a range of one, read through librdio with O_DIRECT. Thread-safe without a lock.
 *
 * <p>Nobody has to close it: the descriptor is closed once no view of the device is reachable any
 * more, so that it can never be closed, and its number given to another file, under a read.
 */
final class DirectBlockDevice implements BlockDevice {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final int MIN_ALIGNMENT = 512;

  private final String name;
  private final Path node;
  private final Descriptor descriptor;
  private final int alignment;
  private final long start;
  private final long size;

  private DirectBlockDevice(
      String name, Path node, Descriptor descriptor, int alignment, long start, long size) {
    this.name = name;
    this.node = node;
    this.descriptor = descriptor;
    this.alignment = alignment;
    this.start = start;
    this.size = size;
  }

  /**
   * Opens a device node or, for tests, a regular file. librdio must be available.
   *
   * @param dmaAlignment what the driver asks of buffer addresses, in bytes
   * @throws FallbackException DEVICE_PERMISSION, DEVICE_NOT_FOUND or DEVICE_IO_ERROR
   */
  static DirectBlockDevice open(Path node, int dmaAlignment) throws FallbackException {
    String name = node.toString();
    int fd = check(DirectReader.open(name), "open", name);
    Descriptor descriptor = new Descriptor(fd);
    try {
      long size = check(DirectReader.deviceSize(fd), "size", name);
      int blockSize = check(DirectReader.logicalBlockSize(fd), "logical block size", name);
      int alignment = Math.max(MIN_ALIGNMENT, Math.max(blockSize, dmaAlignment));
      return new DirectBlockDevice(
          name, node, descriptor, Integer.highestOneBit(2 * alignment - 1), 0, size);
    } finally {
      Reference.reachabilityFence(descriptor);
    }
  }

  /**
   * A range of this device as a device of its own: a partition for which this host has no node.
   *
   * @throws FallbackException DEVICE_MISMATCH if the range is not aligned or not inside
   */
  DirectBlockDevice view(long viewStart, long viewSize) throws FallbackException {
    if (viewStart < 0 || viewSize < 0 || viewStart > size - viewSize) {
      throw new FallbackException(
          FallbackReason.DEVICE_MISMATCH,
          "partition at "
              + viewStart
              + " of "
              + viewSize
              + " bytes is not inside the "
              + size
              + " bytes of "
              + name);
    }
    if ((viewStart & (alignment - 1)) != 0) {
      throw new FallbackException(
          FallbackReason.DEVICE_MISMATCH,
          "partition at "
              + viewStart
              + " of "
              + name
              + " does not start at a multiple of "
              + alignment);
    }
    return new DirectBlockDevice(
        name + "+" + viewStart, node, descriptor, alignment, start + viewStart, viewSize);
  }

  /** Closes the descriptor at once: only for a device that was never handed to a reader. */
  void discard() {
    descriptor.cleanable.clean();
  }

  @Override
  public String name() {
    return name;
  }

  DevicePlace place() {
    return new DevicePlace(node, start);
  }

  @Override
  public int alignment() {
    return alignment;
  }

  @Override
  public long sizeBytes() {
    return size;
  }

  /** The kernel's number of the medium, or below zero where the kernel has none. */
  long diskSequence() {
    try {
      return DirectReader.diskSequence(descriptor.fd);
    } finally {
      Reference.reachabilityFence(descriptor);
    }
  }

  AbandonedReads abandonedReads() {
    return descriptor.abandonedReads;
  }

  @Override
  public DeviceBacklog backlog() {
    return descriptor.backlog;
  }

  @Override
  public DeviceDepth depth() {
    return descriptor.depth;
  }

  @Override
  public void requireAnswering() throws FallbackException {
    descriptor.abandonedReads.requireAnswering(name);
  }

  @Override
  public void read(long offset, ByteBuffer target) throws FallbackException {
    int length = target.remaining();
    if (offset < 0 || offset > size - length) {
      throw beyond(offset, length);
    }
    long address = DirectReader.addressOf(target);
    if (address == 0
        || ((offset | length | (address + target.position())) & (alignment - 1)) != 0) {
      throw unaligned(offset, target);
    }
    int result;
    DeviceBacklog backlog = descriptor.backlog;
    long begun = System.nanoTime();
    long underWay = backlog.begin(length);
    try {
      result =
          DirectReader.pread(descriptor.fd, address + target.position(), length, start + offset);
    } finally {
      Reference.reachabilityFence(descriptor);
      Reference.reachabilityFence(target);
    }
    if (result != length) {
      backlog.end(length);
      throw failed(offset, length, result);
    }
    backlog.ended(length, underWay, System.nanoTime() - begun);
    target.position(target.limit());
  }

  /** Whether a read of these bytes to this address is inside the device and aligned. */
  boolean canRead(long offset, long address, int length) {
    return offset >= 0
        && offset <= size - length
        && ((offset | length | address) & (alignment - 1)) == 0;
  }

  /**
   * Prepares a read on a ring; see {@link Ring#prepare}. The caller keeps this device reachable.
   */
  int prepare(long ring, long address, int length, long offset, int tag, int pinned) {
    return Ring.prepare(ring, descriptor.fd, address, length, start + offset, tag, pinned);
  }

  private FallbackException beyond(long offset, int length) {
    return new FallbackException(
        FallbackReason.DEVICE_MISMATCH,
        "map reaches beyond the device: "
            + length
            + " bytes at "
            + offset
            + " of "
            + name
            + ", which has "
            + size);
  }

  private FallbackException unaligned(long offset, ByteBuffer target) {
    return new FallbackException(
        FallbackReason.INTERNAL_ERROR,
        "read of "
            + name
            + " is not aligned to "
            + alignment
            + ": offset "
            + offset
            + ", "
            + target
            + ", direct "
            + target.isDirect());
  }

  private FallbackException failed(long offset, int length, int result) {
    return failed(length + " bytes at " + offset, result);
  }

  /** What it means that a read on a ring ended with an errno, or at the device's end. */
  FallbackException failed(int length, int result) {
    return failed(length + " bytes", result);
  }

  private FallbackException failed(String bytes, int result) {
    String what =
        result < 0 ? Errno.text(result) : "only " + result + " bytes were read: it has shrunk";
    return new FallbackException(
        FallbackReason.DEVICE_IO_ERROR, "read of " + bytes + " of " + name + ": " + what);
  }

  private static int check(int result, String call, String name) throws FallbackException {
    return (int) check((long) result, call, name);
  }

  private static long check(long result, String call, String name) throws FallbackException {
    if (result >= 0) {
      return result;
    }
    FallbackReason reason =
        switch ((int) -result) {
          case Errno.EACCES, Errno.EPERM -> FallbackReason.DEVICE_PERMISSION;
          case Errno.ENOENT, Errno.ENXIO, Errno.ENODEV, Errno.ENOTBLK ->
              FallbackReason.DEVICE_NOT_FOUND;
          default -> FallbackReason.DEVICE_IO_ERROR;
        };
    throw new FallbackException(reason, call + " of " + name + ": " + Errno.text(result));
  }

  /** Its reachability is the descriptor's life. */
  private static final class Descriptor {
    final int fd;
    final Cleaner.Cleanable cleanable;
    final AbandonedReads abandonedReads = new AbandonedReads(System::nanoTime);
    final DeviceBacklog backlog = new DeviceBacklog();
    final DeviceDepth depth = new DeviceDepth();

    Descriptor(int fd) {
      this.fd = fd;
      this.cleanable = CLEANER.register(this, () -> DirectReader.close(fd));
    }
  }
}
