// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * An {@link AttackingWriter} at work in a thread of its own, and readers beside it. It ends with
 * {@link #close}, which says if it failed.
 */
final class Attack implements AutoCloseable {
  private static final int READERS = 2;

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

  /** Reads for a time, or until something foreign was handed out. */
  static List<AttackedReader> read(IntFunction<AttackedReader> readers, Duration time) {
    long end = System.nanoTime() + time.toNanos();
    List<AttackedReader> reading = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      AttackedReader reader = readers.apply(i);
      reading.add(reader);
      Thread thread =
          new Thread(
              () -> {
                while (noneIsForeign(reading) && System.nanoTime() - end < 0) {
                  reader.readOne();
                }
              },
              "attacked-reader-" + i);
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    threads.forEach(Attack::join);
    return reading;
  }

  /** Whether all that was handed out so far was right. */
  static boolean noneIsForeign(List<AttackedReader> readers) {
    return readers.stream().allMatch(reader -> reader.foreign.isEmpty());
  }

  /** Waits for a thread's end. */
  static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    writer.stop();
    join(writing);
    writer.requireAlive();
  }
}
