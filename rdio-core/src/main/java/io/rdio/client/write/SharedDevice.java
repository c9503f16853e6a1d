// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.SlotGrant;
import io.rdio.nativeio.write.DeviceWriter;
import java.io.IOException;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device open for writing, and who uses it: each lease takes it once and gives it back once. One
 * that owes an answer for too long takes no further user until it has answered, so that as many
 * threads wait for it as were on their way to it, and no more. To close it may wait for the kernel,
 * as to open it: so no lock is held meanwhile, and no thread that looks after leases does it.
 * Thread-safe.
 */
final class SharedDevice {
  private static final Logger LOG = LoggerFactory.getLogger(SharedDevice.class);

  private final DevicePlace place;
  private final DeviceIdentity identity;
  private final SlotDevices.Host host;
  private final MonotonicClock clock;
  private final OwedAnswers owed;
  private final Object opens = new Object();

  @GuardedBy("this")
  private @Nullable SlotDevice device;

  @GuardedBy("this")
  private int users;

  @GuardedBy("this")
  private long idleSinceNanos;

  /** Whether it takes no user any more; it is closed when the last one gives it back. */
  @GuardedBy("this")
  private boolean retired;

  private volatile @Nullable FallbackException flushFailure;

  /** What can be closed. */
  interface Closing {
    void close() throws IOException;
  }

  /**
   * @param host which opens it, and has threads to close it
   * @param owed what this device owes, whoever else has it open or had
   */
  SharedDevice(
      DevicePlace place,
      DeviceIdentity identity,
      SlotDevices.Host host,
      MonotonicClock clock,
      OwedAnswers owed) {
    this.place = place;
    this.identity = identity;
    this.host = host;
    this.clock = clock;
    this.owed = owed;
    this.idleSinceNanos = clock.nanos();
  }

  boolean isAt(DevicePlace other) {
    return place.equals(other);
  }

  /**
   * Takes it for one lease, and opens it if it is not open.
   *
   * @return false if it takes no user any more
   * @throws FallbackException why it cannot be opened, or is not the device meant; AGENT_BUSY if
   *     that is for want of room; DEVICE_TIMEOUT if it owes an answer for too long
   */
  boolean take() throws FallbackException {
    synchronized (this) {
      if (retired) {
        return false;
      }
      owed.requireNoneLate(this);
      users++;
    }
    boolean isOpen = false;
    try {
      open();
      isOpen = true;
      return true;
    } finally {
      if (!isOpen) {
        giveBack();
      }
    }
  }

  /** Does what waits for the device; its result. */
  int call(IntSupplier call) {
    OwedAnswers.Owed answer = owed.begin();
    try {
      return call.getAsInt();
    } finally {
      owed.end(answer);
    }
  }

  /** Not under this object's own lock, which nobody may have for as long as a device takes. */
  private void open() throws FallbackException {
    synchronized (opens) {
      if (isClosed()) {
        OwedAnswers.Owed answer = owed.begin();
        try {
          opened(host.opening().open(place, identity));
        } finally {
          owed.end(answer);
        }
      }
    }
  }

  private synchronized boolean isClosed() {
    return device == null;
  }

  private synchronized void opened(SlotDevice open) {
    device = open;
  }

  /** Who took it has no lease on it any more. */
  synchronized void giveBack() {
    users--;
    idleSinceNanos = clock.nanos();
    if (retired) {
      closeIfUnused(() -> {});
    }
  }

  /** Takes no user any more: who comes next looks for the device anew. Waits for nothing. */
  void retire() {
    retire(() -> {});
  }

  /**
   * The same.
   *
   * @param whenClosed run by the thread that closes it, if that begins now
   * @return whether it does; false if it has a user, or is not open
   */
  synchronized boolean retire(Runnable whenClosed) {
    retired = true;
    return closeIfUnused(whenClosed);
  }

  /** Nanoseconds that it has been open without a user; below 0 if it has one, or is not open. */
  synchronized long idleNanos() {
    return users == 0 && device != null ? Math.max(0, clock.nanos() - idleSinceNanos) : -1;
  }

  /**
   * Makes room for another device: retires it. Waits for nothing.
   *
   * @param whenClosed run by the thread that closes it
   * @return false if it has a user, or is not open: then nothing was done
   */
  synchronized boolean giveWay(Runnable whenClosed) {
    return idleNanos() >= 0 && retire(whenClosed);
  }

  /** Retires it if it has had no user for so long. */
  synchronized boolean retireIfIdle(long nanos) {
    if (users == 0 && clock.nanos() - idleSinceNanos >= nanos) {
      retire();
    }
    return retired;
  }

  /** Whether nobody has it, and it is closed, or its close was begun: nothing is left to do. */
  synchronized boolean isOver() {
    return users == 0 && device == null;
  }

  @GuardedBy("this")
  private boolean closeIfUnused(Runnable whenClosed) {
    SlotDevice open = device;
    if (users != 0 || open == null) {
      return false;
    }
    host.closes().execute(() -> close(open, whenClosed));
    device = null; // not before: where no thread could be started, it is still to be closed
    return true;
  }

  private void close(SlotDevice open, Runnable whenClosed) {
    OwedAnswers.Owed answer = owed.begin();
    try {
      closeQuietly(open::close);
    } finally {
      owed.end(answer);
      whenClosed.run();
    }
  }

  static void closeQuietly(Closing closing) {
    try {
      closing.close();
    } catch (IOException e) {
      LOG.warn("RDIO: a device that was open for writing is not closed", e);
    }
  }

  private synchronized SlotDevice taken() {
    SlotDevice open = device;
    if (open == null) {
      throw new IllegalStateException(place.node() + " is used by nobody who took it");
    }
    return open;
  }

  /** Notes a lease. Who took the device has one at most. */
  SlotLease lease(SlotGrant grant, long deadlineNanos) throws IOException {
    return taken().lease(grant.extents(), grant.unit(), deadlineNanos);
  }

  /**
   * Flushes it. One that failed says nothing any more of what was written before: so nobody's flush
   * succeeds behind it.
   *
   * @throws FallbackException DEVICE_IO_ERROR
   */
  void flush() throws FallbackException {
    FallbackException earlier = flushFailure;
    if (earlier != null) {
      throw earlier;
    }
    int result = call(taken()::flush);
    if (result < 0) {
      FallbackException failure =
          new FallbackException(
              FallbackReason.DEVICE_IO_ERROR,
              "flush of " + place.node() + ": " + DeviceWriter.text(result));
      flushFailure = failure;
      retire();
      throw failure;
    }
  }

  @Override
  public String toString() {
    return place.startBytes() == 0
        ? place.node().toString()
        : place.node() + "+" + place.startBytes();
  }
}
