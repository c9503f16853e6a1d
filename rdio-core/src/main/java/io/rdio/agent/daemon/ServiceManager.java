// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.core.FallbackException;
import io.rdio.core.thread.DaemonLoop;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.LocalSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells systemd how this process is, in the ways of sd_notify(3) and sd_watchdog_enabled(3). Where
 * nobody wants to know, nothing is told. A message that does not arrive is logged and no more:
 * systemd knows what it makes of that. Thread-safe; librdio must be available.
 */
public final class ServiceManager {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);
  private static final String SOCKET = "NOTIFY_SOCKET";
  private static final String WATCHDOG_MICROS = "WATCHDOG_USEC";
  private static final String WATCHDOG_PID = "WATCHDOG_PID";

  // Parts of the watchdog's time. What does not answer is asked twice more before that is up.
  private static final int PAUSES = 2;
  private static final int PAUSES_AFTER_FAILURE = 16;
  private static final int ANSWERS = 8;

  private final @Nullable String socket;
  private final long watchdogNanos;
  private final Pause pause;
  private volatile @Nullable DaemonLoop watchdog;
  private volatile boolean ended;

  /** Asks whether the service is alive. */
  @FunctionalInterface
  public interface Probe {
    /**
     * Returns if it is.
     *
     * @param bound longest wait for its answer
     * @throws FallbackException why it is not
     */
    void ask(Duration bound) throws FallbackException;
  }

  /** Lets time pass. */
  @FunctionalInterface
  interface Pause {
    void take(long nanos) throws InterruptedException;
  }

  ServiceManager(Map<String, String> environment, long pid, Pause pause) {
    this.pause = pause;
    String address = environment.get(SOCKET);
    boolean usable = address != null && (address.startsWith("/") || address.startsWith("@"));
    if (address != null && !usable) {
      LOG.warn("RDIO: {} is '{}', neither a path nor an abstract name: ignored", SOCKET, address);
    }
    this.socket = usable ? address : null;
    this.watchdogNanos = usable ? watchdogNanos(environment, pid) : 0;
  }

  /**
   * That of this process.
   *
   * @param environment of this process
   * @param pid of this process
   */
  public static ServiceManager of(Map<String, String> environment, long pid) {
    return new ServiceManager(environment, pid, TimeUnit.NANOSECONDS::sleep);
  }

  private static long watchdogNanos(Map<String, String> environment, long pid) {
    String micros = environment.get(WATCHDOG_MICROS);
    String meant = environment.getOrDefault(WATCHDOG_PID, Long.toString(pid));
    if (micros == null || !meant.equals(Long.toString(pid))) {
      return 0;
    }
    try {
      long nanos = TimeUnit.MICROSECONDS.toNanos(Long.parseLong(micros));
      if (nanos > 0) {
        return nanos;
      }
    } catch (NumberFormatException e) {
      // As the ones that are not above zero.
    }
    LOG.warn("RDIO: {} is '{}', no number of microseconds: ignored", WATCHDOG_MICROS, micros);
    return 0;
  }

  /**
   * Tells that the service serves, and from now on also that it is alive, as often as is asked for.
   *
   * @param status how it is, in one line for people
   */
  public void ready(String status, Probe probe) {
    tell("READY=1\nSTATUS=" + status.replace('\n', ' '));
    if (watchdogNanos > 0) {
      LongAdder failures = new LongAdder(); // the log has them
      DaemonLoop loop = new DaemonLoop("rdio-agent-watchdog", () -> watch(probe), failures);
      watchdog = loop;
      loop.start();
    }
  }

  /** Whether it is asked for, and told, that this process is alive. */
  boolean isWatched() {
    return watchdog != null;
  }

  /** One round of the watchdog. */
  private void watch(Probe probe) throws InterruptedException {
    pause.take(watchdogNanos / PAUSES);
    while (!ended && !isAlive(probe)) {
      pause.take(watchdogNanos / PAUSES_AFTER_FAILURE);
    }
    if (!ended) {
      tell("WATCHDOG=1");
    }
  }

  private boolean isAlive(Probe probe) {
    try {
      probe.ask(Duration.ofNanos(watchdogNanos / ANSWERS));
      return true;
    } catch (FallbackException | RuntimeException | Error e) {
      if (ended) {
        return false;
      }
      LOG.error(
          "RDIO: this agent does not answer at its own socket, and who started it will restart it"
              + " if that stays so: {}",
          e.toString());
      return false;
    }
  }

  /** Tells that the service ends, and no more that it is alive. */
  public void stopping() {
    ended = true;
    DaemonLoop loop = watchdog;
    if (loop != null) {
      loop.end();
    }
    tell("STOPPING=1");
  }

  private void tell(String message) {
    if (socket == null) {
      return;
    }
    int sent = LocalSocket.sendTo(socket, message.getBytes(StandardCharsets.UTF_8));
    if (sent < 0) {
      LOG.warn(
          "RDIO: '{}' was not told to {} at {}: {}", message, SOCKET, socket, Errno.text(sent));
    }
  }
}
