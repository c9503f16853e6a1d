// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.extent.ExtentList;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.write.DeviceWriter;
import io.rdio.nativeio.write.TooManyLeasesException;
import io.rdio.nativeio.write.WriteEnd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import org.jspecify.annotations.Nullable;

/** A device in memory, and what the library makes of leases on it, without its own checks. */
final class MemorySlotDevice implements SlotDevice {
  private static final int EPERM = 1;
  private static final int EIO = 5;

  final List<Lease> leases = new CopyOnWriteArrayList<>();
  volatile boolean isClosed;

  /** What the device answers instead of doing it; 0: it does. */
  volatile int writeError;

  volatile int flushError;

  /** What the library says of the next lease that is noted; null: it notes it. */
  volatile @Nullable String noLease;

  /** Whether the library has as many leases as it takes, of whatever device. */
  volatile boolean hasNoRoom;

  /** Whether writes are begun in the call that waits for them: until then no lease is ended. */
  volatile boolean writesByWaiting;

  /** Called with each write, before it is done and after the look. */
  volatile Runnable inWrite = () -> {};

  /** Called with each flush, and with each lease that is noted. */
  volatile Runnable inFlush = () -> {};

  volatile Runnable inLease = () -> {};

  private final ByteBuffer content;
  private final LongSupplier boot;

  private final BooleanSupplier failsWrites;

  /**
   * @param failsWrites whether writes end by EIO
   */
  MemorySlotDevice(ByteBuffer content, LongSupplier boot, BooleanSupplier failsWrites) {
    this.content = content;
    this.boot = boot;
    this.failsWrites = failsWrites;
  }

  /** Where on its device a slot has a byte. */
  static long place(ExtentList extents, long offset) {
    int extent = extents.indexOf(offset);
    return extents.physical(extent) + offset - extents.start(extent);
  }

  /** A lease, and what became of it. */
  final class Lease implements SlotLease {
    final ExtentList extents;
    final List<Long> deadlines = new ArrayList<>();
    volatile @Nullable WriteEnd end;

    /** Said instead of the truth, as long as it is not null. */
    volatile @Nullable WriteEnd saysAtEnd;

    volatile boolean wasLate;
    volatile boolean refusesRenewal;

    /** Whether nothing was written since the last flush that succeeded. */
    volatile boolean isFlushed = true;

    /** Whether a write was ever handed over. */
    volatile boolean wasWritten;

    private boolean hasStamps;
    private boolean hasFailed;
    private boolean isStopped;
    private int underWay;

    Lease(ExtentList extents, long deadline) {
      this.extents = extents;
      deadlines.add(deadline);
    }

    synchronized long deadline() {
      return deadlines.get(deadlines.size() - 1);
    }

    /** Whether the timer would have killed this process. */
    synchronized boolean kills() {
      return (end == null || end == WriteEnd.NOT_ENDED) && boot.getAsLong() >= deadline();
    }

    @Override
    public synchronized int renew(long deadlineNanos) {
      if (isStopped || refusesRenewal) {
        return -DeviceWriter.ECANCELED;
      }
      if (boot.getAsLong() >= deadline() || deadlineNanos <= boot.getAsLong()) {
        return -DeviceWriter.ETIME;
      }
      deadlines.add(deadlineNanos);
      return 0;
    }

    @Override
    public synchronized int readStamps(ByteBuffer to, int unit) {
      for (int i = 0; i < extents.count(); i++) {
        to.put(content.slice((int) extents.physical(i), unit));
      }
      hasStamps = true;
      return extents.count();
    }

    @Override
    public int write(long offset, long address, int length, boolean isLast) {
      wasWritten = true;
      synchronized (this) {
        if (!hasStamps) {
          return -EPERM;
        }
        if (end == WriteEnd.CLEAN || end == WriteEnd.FAILED) {
          return -Errno.ENOENT;
        }
        if (isStopped) {
          hasFailed = true;
          return -DeviceWriter.ECANCELED;
        }
        if (boot.getAsLong() >= deadline()) {
          hasFailed = true;
          return -DeviceWriter.ETIME;
        }
        underWay++;
      }
      inWrite.run();
      int error = failsWrites.getAsBoolean() ? -EIO : writeError;
      isFlushed = false;
      if (error == 0) {
        copy(offset, address, length);
      }
      synchronized (this) {
        underWay--;
        hasFailed |= error != 0;
      }
      return error;
    }

    private void copy(long offset, long address, int length) {
      byte[] bytes = new byte[length];
      Pointer.wrap(Runtime.getSystemRuntime(), address).get(0, bytes, 0, length);
      for (int i = 0; i < length; i++) {
        content.put((int) place(extents, offset + i), bytes[i]);
      }
    }

    @Override
    public synchronized WriteEnd end(long timeoutNanos) {
      if (end == WriteEnd.CLEAN || end == WriteEnd.FAILED) {
        throw new IllegalStateException("there is no such lease any more");
      }
      isStopped = true;
      if (kills()) {
        wasLate = true;
      }
      WriteEnd said = saysAtEnd;
      if (said == null) {
        said = underWay > 0 ? unanswered() : hasFailed ? WriteEnd.FAILED : WriteEnd.CLEAN;
      }
      end = said;
      return said;
    }

    private WriteEnd unanswered() {
      return writesByWaiting ? WriteEnd.NOT_ENDED : WriteEnd.UNDER_WAY;
    }

    boolean isEnded() {
      WriteEnd said = end;
      return said != null && said != WriteEnd.NOT_ENDED;
    }
  }

  @Override
  public SlotLease lease(ExtentList extents, int unit, long deadlineNanos) throws IOException {
    inLease.run();
    if (hasNoRoom) {
      throw new TooManyLeasesException("no write lease: ENOSPC");
    }
    String refusal = noLease;
    if (refusal != null || deadlineNanos <= boot.getAsLong()) {
      throw new IOException("no write lease: " + refusal);
    }
    Lease lease = new Lease(extents, deadlineNanos);
    leases.add(lease);
    return lease;
  }

  @Override
  public int flush() {
    inFlush.run();
    int error = flushError;
    if (error == 0) {
      leases.forEach(lease -> lease.isFlushed = true);
    }
    return error;
  }

  @Override
  public synchronized void close() throws IOException {
    if (leases.stream().anyMatch(lease -> !lease.isEnded())) {
      throw new IOException("there are leases on it");
    }
    isClosed = true;
  }
}
