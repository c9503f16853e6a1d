// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Readers, each in a thread of its own, until {@link #close}, which fails if one was handed
 * anything foreign.
 */
final class EndlessReaders implements AutoCloseable {
  private static final int READERS = 2;
  private static final long MORE_PAGES = 100;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final List<AttackedReader> readers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLongArray pages = new AtomicLongArray(READERS);
  private volatile boolean stopped;
  private volatile Throwable failure;

  EndlessReaders(LocatedStorage storage, AttackingWriter writer, MonotonicClock clock) {
    for (int i = 0; i < READERS; i++) {
      int number = i;
      AttackedReader reader = new AttackedReader(storage, writer, clock, true, i);
      readers.add(reader);
      Thread thread = new Thread(() -> read(reader, number), "endless-reader-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  private void read(AttackedReader reader, int number) {
    try {
      while (!stopped) {
        reader.readOne();
        pages.set(number, reader.pages);
        requireRight(reader);
      }
    } catch (RuntimeException | Error e) {
      failure = e;
    }
  }

  private static void requireRight(AttackedReader reader) {
    if (!reader.foreign.isEmpty()) {
      throw new AssertionError("foreign: " + reader.foreign);
    }
  }

  private void requireAlive() {
    if (failure != null) {
      throw new AssertionError("a reader failed", failure);
    }
  }

  /** Until each has read some more. */
  void waitForPages(Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    for (int i = 0; i < READERS; i++) {
      long wanted = pages.get(i) + MORE_PAGES;
      while (pages.get(i) < wanted) {
        requireAlive();
        if (System.nanoTime() - end > 0) {
          throw new AssertionError("reader " + i + " reads no more");
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** What they read; once they are closed. */
  @Override
  public String toString() {
    StringBuilder said = new StringBuilder();
    for (AttackedReader reader : readers) {
      said.append(
          String.format(
              "%d pages by %d maps, refused %s; ", reader.pages, reader.maps, reader.refusals));
    }
    return said.toString();
  }

  @Override
  public void close() {
    stopped = true;
    threads.forEach(thread -> Attack.join(thread, Attack.MORE_TIME));
    requireAlive();
  }
}
