// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.fence.AgentKey;
import io.rdio.core.fence.AgentRegistration;
import io.rdio.core.fence.HostKey;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.SlotGrant;
import io.rdio.core.write.UnregisteredHostException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers this host with devices whose DataNodes lend slots to registered hosts alone (W8): by a
 * new key each time, and only when no write of this host's can reach the device any more that was
 * sent before. So what a DataNode has shut out never comes in again by a later registration. It is
 * done when a DataNode asks for it, and does nothing where none does. Thread-safe; only {@link
 * #register} waits for a device.
 */
final class HostRegistrar {
  private static final Logger LOG = LoggerFactory.getLogger(HostRegistrar.class);

  private final AgentRegistration registration;
  private final Duration patience;
  private final AwakeTime awake;
  private final RegisteredKeys keys;
  private final Map<String, ReentrantLock> turns = new ConcurrentHashMap<>();

  /** The write leases of this process. */
  interface Leases {
    /** Ends all on a device as far as that goes without a wait: its host was shut out of it. */
    void lose(String wwid, String why);

    /** Whether all on a device are ended, and each write by them was answered. */
    boolean areQuiet(String wwid);
  }

  /**
   * @param patience how long a device may take for an answer
   * @param random bits that no other process has
   */
  HostRegistrar(
      AgentRegistration registration, MonotonicClock clock, Duration patience, long random) {
    this.registration = registration;
    this.patience = patience;
    this.awake = new AwakeTime(clock);
    this.keys = new RegisteredKeys(AgentKey.name(random));
  }

  /** The name of this process, by which DataNodes find its keys. */
  long name() {
    return keys.name();
  }

  /** How often this host was registered so far: to be asked before a slot is. */
  long registrations() {
    return keys.registrations();
  }

  /**
   * Refuses a slot that was asked for before the present registration, or by one that is to be
   * replaced: answers of before are void. To be asked when its lease is among the {@link Leases}.
   *
   * @param asked {@link #registrations} from before it was asked for
   */
  void requireOf(SlotGrant grant, long asked) throws UnregisteredHostException {
    if (grant.fenced() && !keys.isGoodSince(grant.device().wwid(), asked)) {
      throw new UnregisteredHostException(
          grant.device(),
          grant.ioMillis(),
          "the slot for " + grant.block() + " is not of this host's present registration");
    }
  }

  /** A lease was lost without its DataNode's knowing it quiet: it will shut this host out. */
  void lost(SlotGrant grant) {
    if (grant.fenced()) {
      doubt(grant.device().wwid(), grant.ioMillis());
    }
  }

  private void doubt(String wwid, long ioMillis) {
    keys.doubt(wwid, awake.mark());
    awake.count(nanos(ioMillis));
  }

  /** A write failed, and not because the device refused it: nobody knows when it is over. */
  void unsure(SlotGrant grant) {
    keys.unsure(grant.device().wwid(), awake.mark());
    awake.count(nanos(grant.ioMillis()));
  }

  private static long nanos(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Counts that this process runs; nanoseconds until it is to be called again. */
  long countAwake() {
    return awake.step();
  }

  /**
   * Registers this host with a device, unless another thread has done so since.
   *
   * @param node of the device here
   * @param need of whom to register with what
   * @param asked {@link #registrations} from before that was found out
   * @throws FallbackException WRITE_UNFENCED why it cannot be, or not yet; DEVICE_TIMEOUT if others
   *     wait for the device already; INTERRUPTED
   */
  void register(Path node, UnregisteredHostException need, long asked, Leases leases)
      throws FallbackException {
    String wwid = need.device().wwid();
    ReentrantLock turn = turns.computeIfAbsent(wwid, key -> new ReentrantLock());
    if (!isTaken(turn)) {
      throw new FallbackException(
          FallbackReason.DEVICE_TIMEOUT, node + " does not answer who is registered with it");
    }
    try {
      if (!keys.isNewerThan(wwid, asked)) {
        registerNow(node, need, leases);
      }
    } catch (IOException e) {
      throw refusal(need, String.valueOf(e.getMessage()), e);
    } finally {
      turn.unlock();
    }
  }

  private boolean isTaken(ReentrantLock turn) throws FallbackException {
    try {
      return turn.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(FallbackReason.INTERRUPTED, "in waiting for a registration", e);
    }
  }

  private void registerNow(Path node, UnregisteredHostException need, Leases leases)
      throws FallbackException, IOException {
    String wwid = need.device().wwid();
    if (registration.claim(node, wwid)) {
      keys.unsure(wwid, awake.mark()); // a process that had it until now may have writes under way
    }
    long last = keys.last(wwid);
    boolean isStill = last != 0 && registration.isRegistered(node, wwid, last);
    if (isStill && need.doomedKey() == last && keys.isGood(wwid)) {
      LOG.info("RDIO: this host will be shut out of {}: it registers anew before", node);
      doubt(wwid, need.ioMillis());
    }
    if (isStill && keys.isGood(wwid)) {
      throw refusal(need, "the device shows it registered by " + HostKey.text(last), null);
    }
    boolean wasRegistered = keys.isRegistered(wwid);
    keys.forget(wwid); // first: from here on no lease begins that the looks below do not see
    if (wasRegistered && !isStill) {
      LOG.warn("RDIO: this host was shut out of {}, or its target has forgotten it", node);
    }
    if (last != 0 && !isStill) {
      leases.lose(wwid, "its host was shut out of the device");
    }
    if (!leases.areQuiet(wwid)) {
      throw refusal(need, "it registers anew when its blocks of before are over", null);
    }
    requireSettled(need);
    long key = keys.next(wwid);
    if (key == 0) {
      throw refusal(need, "it has no key left; fix: start the agent anew", null);
    }
    registration.register(node, wwid, key);
    keys.registered(wwid);
    LOG.info("RDIO: this host is registered with {} by {}", node, HostKey.text(key));
  }

  /**
   * What another process of this host has sent, or was sent behind a lease that was lost, is over
   * by then (W14).
   */
  private void requireSettled(UnregisteredHostException need) throws FallbackException {
    long io = nanos(need.ioMillis());
    long left = keys.unsureNanos(need.device().wwid()) + io - awake.nanos();
    if (left > 0) {
      awake.count(left);
      throw refusal(
          need,
          "it registers in "
              + TimeUnit.NANOSECONDS.toSeconds(left)
              + " s, when nothing can be under way any more that was sent before",
          null);
    }
  }

  private static FallbackException refusal(
      UnregisteredHostException need, String why, @Nullable Throwable cause) {
    return new FallbackException(
        FallbackReason.WRITE_UNFENCED, need.detail() + "; this host: " + why, cause);
  }
}
