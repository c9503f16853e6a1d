// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import java.io.File;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Whether this host has an agent, as far as its socket tells. To look is a system call, a tenth of
 * what a warm read of 4 KiB takes: where there was none, nobody looks again for a moment.
 * Thread-safe.
 */
final class AgentPresence {
  /** How long what was absent counts as absent. */
  static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final File socket;
  private final LongSupplier nanoTime;
  private volatile long lookNanos;

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  AgentPresence(File socket, LongSupplier nanoTime) {
    this.socket = socket;
    this.nanoTime = nanoTime;
    this.lookNanos = nanoTime.getAsLong();
  }

  /** True at once if the socket was there at the last look; else at most so late. */
  boolean isThere() {
    long now = nanoTime.getAsLong();
    if (now - lookNanos < 0) {
      return false;
    }
    boolean there = socket.exists();
    if (!there) {
      lookNanos = now + LOOK_AGAIN_NANOS;
    }
    return there;
  }
}
