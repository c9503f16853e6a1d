// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackPolicy.Memory;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.way.FallbackLog;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What of a file system's new files RDIO writes, and why not the rest, which is counted and logged
 * by file. After a refusal nothing is tried for a while, after several for longer: each try costs
 * the NameNode a block that is added and abandoned. Thread-safe.
 */
final class WriteChoice {
  /** How long nobody tries again after the first refusal that may be over soon. */
  static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final WriteConfig config;
  private final RemoteBlocks remote;
  private final WriteCounters counters;
  private final LongSupplier nanoTime;
  private volatile @Nullable Pause pause;

  private static final class Pause {
    final FallbackException refusal;
    final long untilNanos;
    final long nanos;

    Pause(FallbackException refusal, long now, long nanos) {
      this.refusal = refusal;
      this.untilNanos = now + nanos;
      this.nanos = nanos;
    }
  }

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  WriteChoice(
      WriteConfig config, RemoteBlocks remote, WriteCounters counters, LongSupplier nanoTime) {
    this.config = config;
    this.remote = remote;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  WriteConfig config() {
    return config;
  }

  RemoteBlocks remote() {
    return remote;
  }

  WriteCounters counters() {
    return counters;
  }

  /**
   * Looks at a file that is being created, and asks nobody.
   *
   * @throws FallbackException why stock HDFS is to write all of it
   */
  void requireFor(String path) throws FallbackException {
    if (!config.names(path)) {
      throw new FallbackException(
          FallbackReason.DISABLED,
          "it is below none of the paths of " + RdioConfigKeys.CLIENT_WRITE_PATHS);
    }
    requireNoPause();
    remote.requireThere();
  }

  /**
   * Asks whether a block can be written.
   *
   * @throws FallbackException why stock HDFS is to write the rest of the file
   */
  void requireAnswering() throws FallbackException {
    requireNoPause();
    remote.requireAnswering();
  }

  private void requireNoPause() throws FallbackException {
    Pause now = pause;
    if (now != null && isOn(now)) {
      throw now.refusal;
    }
  }

  private boolean isOn(Pause one) {
    return nanoTime.getAsLong() - one.untilNanos < 0;
  }

  /** A block was begun: the next refusal is the first one again. */
  void worked() {
    if (pause != null) {
      pause = null;
    }
  }

  /** A block could not be begun: counts and logs it, and lets others try again later. */
  void refused(FallbackException refusal, String path) {
    Pause last = pause;
    if (last == null || !isOn(last)) { // or whoever it refuses would keep it up for ever
      pause = new Pause(refusal, nanoTime.getAsLong(), pauseNanos(refusal.reason(), last));
    }
    leftToStock(refusal, path);
  }

  /** Twice as long each time, up to the back-off. */
  private long pauseNanos(FallbackReason reason, @Nullable Pause last) {
    long most = Math.max(MOMENT_NANOS, config.backOff().toNanos());
    Memory memory = reason.policy().memory();
    if (memory == Memory.BACK_OFF || memory == Memory.QUARANTINE) {
      return most;
    }
    return last == null ? MOMENT_NANOS : Math.min(most, 2 * last.nanos);
  }

  /** Counts and logs a file that stock HDFS writes, or from some block on. */
  void leftToStock(Throwable why, String path) {
    counters.fallback(FallbackLog.reasonOf(why));
    FallbackLog.WRITES.log(why, path);
  }
}
