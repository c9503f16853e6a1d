// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.testing.Command;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A command that runs over and over beside an attack. {@link #close} says if it failed. */
final class Repeated implements AutoCloseable {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Longer than {@link Command} waits for one. */
  private static final Duration END_MAX = Duration.ofMinutes(11);

  private final String[] command;
  private final Thread running;
  private volatile boolean stopped;
  private final AtomicInteger runs = new AtomicInteger();
  private volatile String said = "";
  private volatile Throwable failure;

  Repeated(String... command) {
    this.command = command;
    running = new Thread(this::run, "repeated");
    running.start();
  }

  private void run() {
    try {
      while (!stopped) {
        said = Command.run(command);
        runs.incrementAndGet();
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
  }

  /** How often it ran, and what it said last. */
  @Override
  public String toString() {
    return String.join(" ", command) + ": " + runs + " times, at last: " + said;
  }

  /** How often it ran; waits until it has once, unless it failed. */
  int runs(Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    while (runs.get() == 0 && running.isAlive() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return runs.get();
  }

  @Override
  public void close() {
    stopped = true;
    Attack.join(running, END_MAX);
    if (failure != null) {
      throw new AssertionError(String.join(" ", command) + " failed", failure);
    }
  }
}
