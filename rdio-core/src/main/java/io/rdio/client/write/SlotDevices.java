// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.device.WriteDelay;
import io.rdio.core.fence.AgentRegistration;
import io.rdio.core.fence.HostRegistration;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.SlotGrant;
import io.rdio.core.write.UnregisteredHostException;
import io.rdio.nativeio.write.DeviceWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This host's devices that are open for writing. They are found as for reads (C5), opened once for
 * all leases on them, verified again by the descriptor that writes, and closed when nobody has had
 * a lease there for a while: not at once, for whatever watches device nodes looks at a device anew
 * each time that somebody who could write closes it. Where a process can have no more open, the one
 * that was not used for longest is closed before, for the next one. Thread-safe.
 */
public final class SlotDevices implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SlotDevices.class);

  /** How long a device stays open that nobody has a lease on. */
  static final Duration IDLE = Duration.ofMinutes(1);

  /** How often a device is closed to open another one, whose place somebody else may have taken. */
  private static final int PLACES_MADE_MAX = 8;

  /** How long another device's close is waited for, before the next one's is begun, too. */
  private static final Duration CLOSE_WAIT = Duration.ofMillis(250);

  /** How many are closed for one place. */
  private static final int CLOSES_MAX = 4;

  /** How long the closes of all are waited for at the end. */
  private static final Duration LAST_WAIT = Duration.ofSeconds(5);

  private static final SecureRandom RANDOM = new SecureRandom();

  private final DeviceDirectory directory;
  private final Host host;
  private final MonotonicClock clock;
  private final Duration timeout;
  private final HostRegistrar registrar;

  @GuardedBy("this")
  private final Map<DeviceIdentity, SharedDevice> open = new HashMap<>();

  /** Those that take no user any more, and whose close was not begun yet. */
  @GuardedBy("this")
  private final Set<SharedDevice> retired = new HashSet<>();

  /** Of all that were ever open: a few for each device of this host. */
  @GuardedBy("this")
  private final Map<DeviceIdentity, OwedAnswers> owed = new HashMap<>();

  @GuardedBy("this")
  private boolean closed;

  /**
   * Opens a device for writing, and makes sure that it is the one meant. By AGENT_BUSY it says that
   * it would do if another one was closed.
   */
  @FunctionalInterface
  interface Opening {
    SlotDevice open(DevicePlace place, DeviceIdentity identity) throws FallbackException;
  }

  /** Refuses a device that a write may reach later than so many milliseconds. */
  @FunctionalInterface
  interface Lateness {
    void require(Path node, long mostMillis) throws FallbackException;
  }

  /**
   * What tests put in the place of this host.
   *
   * @param closes where devices are closed that nobody waits for; it must not do it in the thread
   *     that asks, which may be one that looks after leases
   */
  record Host(
      Opening opening, Lateness lateness, AgentRegistration registration, Executor closes) {}

  /**
   * Devices by librdio-write.
   *
   * @param directory finds them; it stays the caller's to close
   * @param timeout how long one may take for an answer: who waits for it gives it up then, and for
   *     nothing else is it asked until the answer is there
   */
  public SlotDevices(DeviceDirectory directory, MonotonicClock clock, Duration timeout) {
    this(
        directory,
        new Host(
            SlotDevices::openByLibrary,
            new WriteDelay()::require,
            new HostRegistration(),
            SlotDevices::onItsOwnThread),
        clock,
        timeout);
  }

  SlotDevices(DeviceDirectory directory, Host host, MonotonicClock clock, Duration timeout) {
    this.directory = directory;
    this.host = host;
    this.clock = clock;
    this.timeout = timeout;
    this.registrar = new HostRegistrar(host.registration(), clock, timeout, RANDOM.nextLong());
  }

  private static SlotDevice openByLibrary(DevicePlace place, DeviceIdentity identity)
      throws FallbackException {
    SlotDevice device = NativeSlotDevice.open(place, identity, DeviceWriter::open);
    return WriterFaultInjector.get().port(SlotDevice.class, device);
  }

  /** There are as many as devices that are being closed: no more than the library has open. */
  private static void onItsOwnThread(Runnable close) {
    DaemonThreads.daemon("rdio-write-close", close).start();
  }

  /** How long a device may take for an answer. */
  Duration timeout() {
    return timeout;
  }

  /** Where this host is registered, as far as DataNodes demand it. */
  HostRegistrar registrar() {
    return registrar;
  }

  /**
   * Registers this host with a device, on which a DataNode lends slots to none but registered ones.
   *
   * @param asked {@link HostRegistrar#registrations} from before it was asked for one
   * @throws FallbackException as {@link DeviceDirectory#place} does; WRITE_UNBOUNDED, for then it
   *     is not known when a write is over; or as {@link HostRegistrar#register} does
   */
  void register(UnregisteredHostException need, long asked, HostRegistrar.Leases leases)
      throws FallbackException {
    Path node = directory.place(need.device()).node();
    host.lateness().require(node, need.ioMillis());
    registrar.register(node, need, asked, leases);
  }

  /**
   * The device of a slot, open for writing, for one lease; to be given back. How late a write may
   * reach it is asked each time, for a path may have come since, or somebody changed the kernel's
   * times.
   *
   * @throws FallbackException as {@link DeviceDirectory#place} does, or NATIVE_LIBRARY_UNAVAILABLE,
   *     DEVICE_PERMISSION, DEVICE_NOT_FOUND, DEVICE_MISMATCH or DEVICE_IO_ERROR when it is opened;
   *     AGENT_BUSY if no more can be open, and all that are have leases, or those that have none
   *     are not closed within a second; WRITE_UNBOUNDED if a write may reach it when the slot is
   *     left alone no more; DEVICE_TIMEOUT if it owes an answer for too long; AGENT_UNAVAILABLE
   *     when this was closed, or if this process can write to none; INTERRUPTED
   */
  SharedDevice take(SlotGrant grant) throws FallbackException {
    DeviceIdentity identity = grant.device();
    DevicePlace place = directory.place(identity);
    host.lateness().require(place.node(), grant.ioMillis());
    int left = PLACES_MADE_MAX;
    while (true) {
      SharedDevice device = at(place, identity);
      try {
        if (device.take()) {
          return device;
        }
        forget(identity, device);
      } catch (FallbackException e) {
        if (e.reason() != FallbackReason.AGENT_BUSY || left == 0 || !closeIdlest()) {
          throw e;
        }
        left--;
      }
    }
  }

  /**
   * Closes the one that was not used for longest, and where that takes long, the next one, too. It
   * is somebody else's device that is waited for: so not for long, and no open waits meanwhile.
   *
   * @return false if all that are open have a lease, or none was closed in time
   */
  private boolean closeIdlest() throws FallbackException {
    CountDownLatch oneIsClosed = new CountDownLatch(1);
    boolean isAnyBegun = false;
    for (int i = 0; i < CLOSES_MAX; i++) {
      isAnyBegun |= isCloseOfIdlestBegun(oneIsClosed::countDown);
      if (!isAnyBegun) {
        return false;
      }
      if (isDownWithin(oneIsClosed, CLOSE_WAIT)) {
        return true;
      }
    }
    return false;
  }

  private boolean isCloseOfIdlestBegun(Runnable whenClosed) {
    Optional<SharedDevice> idlest = idlest();
    while (idlest.isPresent() && !idlest.get().giveWay(whenClosed)) {
      idlest = idlest(); // somebody took it meanwhile
    }
    return idlest.isPresent();
  }

  private static boolean isDownWithin(CountDownLatch latch, Duration time)
      throws FallbackException {
    try {
      return latch.await(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(
          FallbackReason.INTERRUPTED, "waiting until another device is closed");
    }
  }

  private synchronized Optional<SharedDevice> idlest() {
    SharedDevice found = null;
    long most = -1;
    for (SharedDevice device : open.values()) {
      long nanos = device.idleNanos();
      if (nanos > most) {
        most = nanos;
        found = device;
      }
    }
    return Optional.ofNullable(found);
  }

  private synchronized SharedDevice at(DevicePlace place, DeviceIdentity identity)
      throws FallbackException {
    if (closed) {
      throw new FallbackException(
          FallbackReason.AGENT_UNAVAILABLE, "no device is opened for writing any more");
    }
    SharedDevice known = open.get(identity);
    if (known != null && known.isAt(place)) {
      return known;
    }
    if (known != null) {
      known.retire();
      open.remove(identity, known);
      keepUnlessOver(known);
    }
    OwedAnswers its = owed.computeIfAbsent(identity, key -> new OwedAnswers(clock, timeout));
    SharedDevice device = new SharedDevice(place, identity, host, clock, its);
    open.put(identity, device);
    return device;
  }

  private synchronized void forget(DeviceIdentity identity, SharedDevice device) {
    open.remove(identity, device);
    keepUnlessOver(device);
  }

  /** Who has it closes it at last; and if no thread can be started for that, it is tried again. */
  @GuardedBy("this")
  private void keepUnlessOver(SharedDevice device) {
    if (!device.isOver()) {
      retired.add(device);
    }
  }

  private static boolean isOverNow(SharedDevice device) {
    device.retire();
    return device.isOver();
  }

  /** A device did not do what it should: who comes next looks for it anew. */
  void failed(DeviceIdentity identity, SharedDevice device) {
    device.retire();
    forget(identity, device);
    directory.forget(identity);
  }

  /** Closes what nobody has used for a while, and waits for nothing. Called now and then. */
  synchronized void closeIdle() {
    Iterator<SharedDevice> all = open.values().iterator();
    while (all.hasNext()) {
      SharedDevice device = all.next();
      if (device.retireIfIdle(IDLE.toNanos())) {
        all.remove();
        keepUnlessOver(device);
      }
    }
    retired.removeIf(SlotDevices::isOverNow);
  }

  /**
   * Closes all; those that have a lease when it is over. Waits some seconds at most, however many
   * do not answer.
   */
  @Override
  public void close() {
    List<SharedDevice> all = takeAll();
    CountDownLatch left = new CountDownLatch(all.size());
    for (SharedDevice device : all) {
      if (!device.retire(left::countDown)) {
        left.countDown();
      }
    }
    try {
      if (!left.await(LAST_WAIT.toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.warn("RDIO: {} devices that were open for writing are not closed yet", left.getCount());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** All there are, and no more come. */
  private synchronized List<SharedDevice> takeAll() {
    closed = true;
    List<SharedDevice> all = new ArrayList<>(open.values());
    all.addAll(retired);
    open.clear();
    retired.clear();
    return all;
  }
}
