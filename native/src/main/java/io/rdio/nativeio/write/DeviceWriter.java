// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio.write;

import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.WriteLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A device, open for writes to slots under write leases (W9 to W13 of docs/remote-writes.md). The
 * library knows the places, looks at the lease right before it submits each write, and has the
 * kernel kill this process at the deadline of a lease that was not ended before: so that no write
 * is sent late, even after the process was stopped. Deadlines are of CLOCK_BOOTTIME itself ({@link
 * DirectReader#bootTimeNanos}), without what a pause-aware clock adds to it.
 *
 * <p>Leases are named by handles, which the library checks. Methods that return {@code int} answer
 * 0 or more, or -errno, which {@link #text} words. Safe for any number of threads.
 */
public final class DeviceWriter implements AutoCloseable {
  /** Errno of a lease that is over. */
  public static final int ETIME = 62;

  /** Errno of a lease that was ended. */
  public static final int ECANCELED = Errno.ECANCELED;

  private static final int EPERM = 1;
  private static final int EBADF = 9;
  private static final int EINVAL = 22;
  private static final int ENOSPC = 28;
  private static final int ERANGE = 34;
  private static final int ETIMEDOUT = 110;

  private final String path;
  private final long writer;

  private DeviceWriter(String path, long writer) {
    this.path = path;
    this.writer = writer;
  }

  /**
   * Opens a block device O_RDWR, O_DIRECT.
   *
   * @throws DeviceOpenException if the device or this process does not serve, with the cure
   * @throws IOException if the library does not
   */
  public static DeviceWriter open(String path) throws IOException {
    return open(path, 0);
  }

  static DeviceWriter open(String path, int options) throws IOException {
    NativeAvailability library = WriteLibrary.availability();
    if (!library.isAvailable()) {
      throw new IOException(path + " cannot be written to: " + library);
    }
    long writer = WriteCalls.open(path, options);
    if (writer < 0) {
      int errno = (int) -writer;
      throw new DeviceOpenException(
          path + " cannot be opened for writing: " + whyNot(errno), errno);
    }
    return new DeviceWriter(path, writer);
  }

  private static String whyNot(int errno) {
    switch (errno) {
      case Errno.EOPNOTSUPP:
        return "this process is number 1 of its PID namespace, which the kernel's timer cannot kill"
            + " when a write lease is over. Run it below an init (docker run --init, tini), or in a"
            + " pod with shareProcessNamespace: true";
      case Errno.EMFILE:
        return "EMFILE: this process has as many devices open for writing, or files, as it may";
      case Errno.EROFS:
        return "EROFS: the device is read-only on this host, as by 61-rdio-read-only.rules, which"
            + " hosts of agents that write do without";
      case Errno.EBUSY:
        return "EBUSY: this host keeps the device for something else, as for a file system that is"
            + " mounted";
      case Errno.ESTALE:
        return text(-errno);
      default:
        return Errno.text(errno);
    }
  }

  /** The error of a method, in words. */
  public static String text(long error) {
    switch ((int) -error) {
      case EPERM:
        return "EPERM: the stamps of the slot were not read";
      case ENOSPC:
        return "ENOSPC: this process has as many write leases as it can have; end some";
      case Errno.ESTALE:
        return "ESTALE: the device changed while it was opened; open it again";
      case EINVAL:
        return "EINVAL: not of whole units, not aligned, or not what was said before";
      case ERANGE:
        return "ERANGE: outside of the slot, behind the block's end, or behind the device's";
      case ETIME:
        return "ETIME: the write lease is over";
      case ECANCELED:
        return "ECANCELED: the write lease was ended";
      default:
        return Errno.text(error);
    }
  }

  /** Capacity in bytes, when it was opened. */
  public long sizeBytes() {
    return WriteCalls.size(writer);
  }

  /** Bytes of a logical block; 4096 for a regular file. */
  public int blockBytes() {
    return WriteCalls.blockBytes(writer);
  }

  /**
   * Reads by the descriptor that writes, to see that it is the device meant.
   *
   * @return bytes read, less than {@code length} only where the device ends; or -errno
   */
  public int read(long address, int length, long offset) {
    return WriteCalls.read(writer, address, length, offset);
  }

  /**
   * Notes a write lease. The process is killed at its deadline unless it is {@linkplain #end ended}
   * before, or renewed.
   *
   * @param deadlineNanos in the future, by an hour at most
   * @return its handle
   * @throws TooManyLeasesException if this process has as many as it may have
   * @throws IOException for extents that are not on the device or not of whole units, or a deadline
   *     out of range
   */
  public long lease(SlotExtents slot, long deadlineNanos) throws IOException {
    long lease = slot.leaseOf(writer, deadlineNanos);
    if (lease >= 0) {
      return lease;
    }
    String why = "no write lease on " + path + ": " + text(lease);
    throw lease == -ENOSPC ? new TooManyLeasesException(why) : new IOException(why);
  }

  /**
   * Another deadline. -{@link #ETIME} where the old one is over, -{@link #ECANCELED} behind end.
   */
  public int renew(long lease, long deadlineNanos) {
    return WriteCalls.renew(lease, deadlineNanos);
  }

  /**
   * The stamps of a lease's extents, one unit behind the other from the buffer's position on, which
   * moves behind them. Nothing can be written before; whoever writes compares them (W12).
   *
   * @param to a direct buffer whose position is aligned to a unit in memory
   * @return how many
   */
  public int readStamps(long lease, ByteBuffer to, int unit) {
    if (to.isReadOnly()) {
      return -EINVAL;
    }
    int count = WriteCalls.readStamps(lease, to, to.position(), to.remaining());
    if (count > 0) {
      to.position(to.position() + count * unit);
    }
    return count;
  }

  /**
   * Writes a range of a slot and waits until the device has answered.
   *
   * @param offset in the slot, a multiple of the unit
   * @param address of memory, at a multiple of the device's block, that stays until this returns
   * @param length whole units; any for the block's end
   * @param isLast whether the block ends behind it: the last unit is filled with zeros then
   * @return 0 if all is written
   */
  public int write(long lease, long offset, long address, int length, boolean isLast) {
    return WriteCalls.write(lease, offset, address, length, isLast);
  }

  /** The same from a direct buffer's position to its limit, which do not move. */
  public int write(long lease, long offset, ByteBuffer from, boolean isLast) {
    return WriteCalls.writeBuffer(lease, offset, from, from.position(), from.remaining(), isLast);
  }

  /** Flushes the device by this host's own controller (W11). An error is told once. */
  public int flush() {
    return WriteCalls.flush(writer);
  }

  /**
   * Ends a lease: no write is sent behind it (W10). Then forgets it, unless a write is still under
   * way: call it again for that.
   *
   * @param timeoutNanos longest wait for threads between look and submission
   * @throws IllegalStateException if there is no such lease
   */
  public WriteEnd end(long lease, long timeoutNanos) {
    int error = WriteCalls.end(lease, timeoutNanos);
    if (error == -ETIMEDOUT) {
      return WriteEnd.NOT_ENDED;
    }
    int result = error < 0 ? error : WriteCalls.release(lease);
    switch (result) {
      case 0:
        return WriteEnd.CLEAN;
      case 1:
        return WriteEnd.FAILED;
      case -Errno.EBUSY:
        return WriteEnd.UNDER_WAY;
      default:
        throw new IllegalStateException("write lease " + lease + ": " + text(result));
    }
  }

  /**
   * Closes the device; nothing if it is closed.
   *
   * @throws IOException while there are leases on it that were not ended, or writes under way
   */
  @Override
  public void close() throws IOException {
    int error = WriteCalls.close(writer);
    if (error == -Errno.EBUSY) {
      throw new IOException(
          path + " has write leases or calls under way: end them before it is closed");
    }
    if (error < 0 && error != -EBADF) {
      throw new IOException(path + " was closed with " + text(error));
    }
  }

  @Override
  public String toString() {
    return path;
  }
}
