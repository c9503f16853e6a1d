// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.plane.device.MeasuredStorage;
import io.rdio.core.FallbackException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Looks at a journal to which nothing is committed, by so many readers that each look again as soon
 * as they have been served. For one thread, which waits for the readers.
 */
final class Looks {
  private final int readers;
  private final Tally asked = new Tally();
  private double seconds;
  private long taken;
  private long reads;

  /**
   * What came of it.
   *
   * @param asked what each reader waited, for each look
   * @param taken looks that read the device; readers were served by those of others too (R7)
   * @param reads of all looks
   */
  record Figures(int readers, Tally asked, double seconds, long taken, long reads) {
    double servedPerSecond() {
      return asked.count() / seconds;
    }

    double takenPerSecond() {
      return taken / seconds;
    }

    double readsForEachTaken() {
      return (double) reads / taken;
    }

    double readsForEachServed() {
      return (double) reads / asked.count();
    }

    /** For JSON. */
    Map<String, Object> fields() {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("readers", readers);
      fields.put("served_per_s", servedPerSecond());
      fields.put("taken_per_s", takenPerSecond());
      fields.put("reads_each_taken", readsForEachTaken());
      fields.put("reads_each_served", readsForEachServed());
      fields.put("p50_us", asked.micros(50));
      fields.put("p99_us", asked.micros(99));
      return fields;
    }
  }

  Looks(int readers) {
    this.readers = readers;
  }

  /** Looks for some seconds, and adds what came of it. */
  void run(MeasuredStorage storage, CountedDevice device, DeviceCounters counters, double time)
      throws IOException {
    long readsBefore = device.reads();
    long takenBefore = counters.looks.sum();
    ExecutorService threads = Executors.newFixedThreadPool(readers);
    try {
      CountDownLatch ready = new CountDownLatch(readers);
      List<Future<Tally>> running = new ArrayList<>();
      long begun = System.nanoTime();
      for (int i = 0; i < readers; i++) {
        running.add(threads.submit(() -> look(storage, ready, (long) (time * 1e9))));
      }
      for (Future<Tally> each : running) {
        asked.addAll(each.get());
      }
      seconds += (System.nanoTime() - begun) / 1e9;
    } catch (ExecutionException e) {
      throw new IOException("a look failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("while readers look");
    } finally {
      threads.shutdownNow();
    }
    reads += device.reads() - readsBefore;
    taken += counters.looks.sum() - takenBefore;
  }

  private static Tally look(MeasuredStorage storage, CountDownLatch ready, long nanos)
      throws FallbackException, InterruptedException {
    ready.countDown();
    ready.await();
    Tally tally = new Tally();
    long end = System.nanoTime() + nanos;
    for (long now = System.nanoTime(); now - end < 0; ) {
      storage.look();
      long then = System.nanoTime();
      tally.add(then - now, 0);
      now = then;
    }
    return tally;
  }

  Figures figures() {
    return new Figures(readers, asked, seconds, taken, reads);
  }
}
