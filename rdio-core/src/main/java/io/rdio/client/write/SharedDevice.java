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
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device open for writing, and who uses it: each lease takes it once and gives it back once. One
 * that owes an answer for too long takes no further user until it has answered, so that as many
 * threads wait for it as were on their way to it, and no more. Thread-safe.
 */
final class SharedDevice {
  private static final Logger LOG = LoggerFactory.getLogger(SharedDevice.class);

  private final DevicePlace place;
  private final DeviceIdentity identity;
  private final SlotDevices.Opening opening;
  private final MonotonicClock clock;
  private final Duration timeout;
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

  /** Calls that are not answered yet, the oldest first. */
  @GuardedBy("this")
  private final Set<Owed> owed = new LinkedHashSet<>();

  private volatile @Nullable FallbackException flushFailure;

  /** An answer that the device owes. */
  private static final class Owed {
    final long sinceNanos;

    Owed(long sinceNanos) {
      this.sinceNanos = sinceNanos;
    }
  }

  /** What can be closed. */
  interface Closing {
    void close() throws IOException;
  }

  /**
   * @param timeout how long it may owe an answer
   */
  SharedDevice(
      DevicePlace place,
      DeviceIdentity identity,
      SlotDevices.Opening opening,
      MonotonicClock clock,
      Duration timeout) {
    this.place = place;
    this.identity = identity;
    this.opening = opening;
    this.clock = clock;
    this.timeout = timeout;
    this.idleSinceNanos = clock.nanos();
  }

  boolean isAt(DevicePlace other) {
    return place.equals(other);
  }

  /**
   * Takes it for one lease, and opens it if it is not open.
   *
   * @return false if it takes no user any more
   * @throws FallbackException why it cannot be opened, or is not the device meant; DEVICE_TIMEOUT
   *     if it owes an answer for too long
   */
  boolean take() throws FallbackException {
    synchronized (this) {
      if (retired) {
        return false;
      }
      requireAnswering();
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

  @GuardedBy("this")
  private void requireAnswering() throws FallbackException {
    if (owed.isEmpty()) {
      return;
    }
    long nanos = clock.nanos() - owed.iterator().next().sinceNanos;
    if (nanos > timeout.toNanos()) {
      throw new FallbackException(
          FallbackReason.DEVICE_TIMEOUT,
          this
              + " is not written to: it owes "
              + owed.size()
              + " answers, one for "
              + TimeUnit.NANOSECONDS.toSeconds(nanos)
              + " s");
    }
  }

  private synchronized Owed begin() {
    Owed answer = new Owed(clock.nanos());
    owed.add(answer);
    return answer;
  }

  private synchronized void end(Owed answer) {
    owed.remove(answer);
  }

  /** Does what waits for the device; its result. */
  int call(IntSupplier call) {
    Owed answer = begin();
    try {
      return call.getAsInt();
    } finally {
      end(answer);
    }
  }

  /** Not under this object's own lock, which nobody may have for as long as a device takes. */
  private void open() throws FallbackException {
    synchronized (opens) {
      if (isClosed()) {
        Owed answer = begin();
        try {
          opened(opening.open(place, identity));
        } finally {
          end(answer);
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
      closeIfUnused();
    }
  }

  /** Takes no user any more: who comes next looks for the device anew. */
  synchronized void retire() {
    retired = true;
    closeIfUnused();
  }

  /** Retires it if it has had no user for so long. */
  synchronized boolean retireIfIdle(long nanos) {
    if (users == 0 && clock.nanos() - idleSinceNanos >= nanos) {
      retire();
    }
    return retired;
  }

  @GuardedBy("this")
  private void closeIfUnused() {
    SlotDevice open = device;
    if (users == 0 && open != null) {
      device = null;
      closeQuietly(open::close);
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
