// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.SlotGrant;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.write.DeviceWriter;
import io.rdio.nativeio.write.WriteEnd;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A slot on its open device, under the library's lease on it: what {@link WriteLease} reads, writes
 * and flushes there, and what the device and this host's registration with it hear of that.
 * Thread-safe; reads, writes and flushes wait for the device, and nothing else does.
 */
final class LeasedSlot {
  private final SlotGrant grant;
  private final SlotDevices devices;
  private final SharedDevice device;
  private final SlotLease lease;

  /** Set before the first write is handed to the library, which sends none once it has ended it. */
  private volatile boolean written;

  /** Threads that write, until what came of it is noted. */
  private final AtomicInteger writing = new AtomicInteger();

  /**
   * @param device taken for the lease, which is given back by {@link #giveBack}
   */
  LeasedSlot(SlotGrant grant, SlotDevices devices, SharedDevice device, SlotLease lease) {
    this.grant = grant;
    this.devices = devices;
    this.device = device;
    this.lease = lease;
  }

  /** Reads the stamps of all extents; how many, or -errno. */
  int readStamps(ByteBuffer to) {
    return device.call(() -> lease.readStamps(to, grant.unit()));
  }

  /** Writes a range of the slot; 0 or -errno. */
  int write(long offset, long address, int length, boolean isLast) {
    written = true;
    writing.incrementAndGet();
    try {
      int error = device.call(() -> lease.write(offset, address, length, isLast));
      if (error < 0 && !isNotSent(error) && error != -Errno.EBADE) {
        devices.registrar().unsure(grant);
      }
      return error;
    } finally {
      writing.decrementAndGet();
    }
  }

  /** Whether the library has refused it. An ended lease is soon forgotten there. */
  static boolean isNotSent(int error) {
    return error == -DeviceWriter.ETIME
        || error == -DeviceWriter.ECANCELED
        || error == -Errno.ENOENT;
  }

  /** Whether a write was ever handed to the library. */
  boolean isWritten() {
    return written;
  }

  /** Whether a thread writes, or has not noted yet what came of it. */
  boolean isBeingWritten() {
    return writing.get() != 0;
  }

  /** What the device's error is to whoever read or wrote; the device is looked for anew. */
  FallbackException failed(String what, int error) {
    deviceFailed();
    return new FallbackException(
        FallbackReason.DEVICE_IO_ERROR,
        what
            + " of the slot for "
            + grant.block()
            + " on "
            + device
            + ": "
            + DeviceWriter.text(error));
  }

  /** The device is looked for anew for the next lease. */
  void deviceFailed() {
    devices.failed(grant.device(), device);
  }

  /**
   * Flushes the device.
   *
   * @throws FallbackException DEVICE_IO_ERROR
   */
  void flush() throws FallbackException {
    try {
      device.flush();
    } catch (FallbackException e) {
      deviceFailed();
      throw e;
    }
  }

  /** Another deadline of the library's lease, of CLOCK_BOOTTIME; 0 or -errno. */
  int renew(long deadlineNanos) {
    return lease.renew(deadlineNanos);
  }

  /** Ends the library's lease, as {@link SlotLease#end} does. */
  WriteEnd end(long timeoutNanos) {
    return lease.end(timeoutNanos);
  }

  /** Its DataNode does not know that each write was answered: nor does this host's registration. */
  void lost() {
    devices.registrar().lost(grant);
  }

  /** Nothing is left of the lease: the device is used no more. To be called once. */
  void giveBack() {
    device.giveBack();
  }
}
