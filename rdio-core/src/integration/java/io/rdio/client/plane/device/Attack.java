// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * An {@link AttackingWriter} at work in a thread of its own, and readers beside it. It ends with
 * {@link #close}, which says if it failed.
 */
final class Attack implements AutoCloseable {
  private static final int READERS = 2;

  /** For readers that have not enough when their time is over, on a machine that is busy. */
  static final Duration MORE_TIME = Duration.ofMinutes(2);

  private final AttackingWriter writer;
  private final Thread writing;

  Attack(AttackingWriter writer) {
    this.writer = writer;
    writing = new Thread(writer, "attacking-writer");
    writing.start();
  }

  AttackingWriter writer() {
    return writer;
  }

  /** Reads for a time, or until something foreign was handed out. Fails if a reader fails. */
  static List<AttackedReader> read(IntFunction<AttackedReader> readers, Duration time) {
    return read(readers, time, reader -> true);
  }

  /**
   * The same, but each reader goes on past that time until it has enough, for two minutes at most.
   *
   * @param enough is asked by the reader's own thread
   */
  static List<AttackedReader> read(
      IntFunction<AttackedReader> readers, Duration time, Predicate<AttackedReader> enough) {
    long end = System.nanoTime() + time.toNanos();
    long lastEnd = end + MORE_TIME.toNanos();
    List<AttackedReader> reading = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (int i = 0; i < READERS; i++) {
      AttackedReader reader = readers.apply(i);
      reading.add(reader);
      Thread thread =
          new Thread(
              () -> {
                while (noneIsForeign(reading)
                    && failure.get() == null
                    && System.nanoTime() - (enough.test(reader) ? end : lastEnd) < 0) {
                  reader.readOne();
                }
              },
              "attacked-reader-" + i);
      thread.setUncaughtExceptionHandler((failed, e) -> failure.compareAndSet(null, e));
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      join(thread, time.plus(MORE_TIME).plus(MORE_TIME));
    }
    if (failure.get() != null) {
      throw new AssertionError("a reader failed", failure.get());
    }
    return reading;
  }

  /** Whether all that was handed out so far was right. */
  static boolean noneIsForeign(List<AttackedReader> readers) {
    return readers.stream().allMatch(reader -> reader.foreign.isEmpty());
  }

  /** Waits for a thread's end, and fails where that does not come in time. */
  static void join(Thread thread, Duration max) {
    try {
      Patience.join(thread, max);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    writer.stop();
    join(writing, MORE_TIME);
    writer.requireAlive();
  }
}
