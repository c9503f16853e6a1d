// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.maps;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.time.MonotonicClock;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Fills the cache, then looks up by each number of threads, and prints what that took. */
final class MapsBenchmark {
  private static final double WARM_UP_SECONDS = 0.5;

  private final int blocks;
  private final List<Integer> threads;
  private final double seconds;
  private final PrintWriter out;
  private final MonotonicClock clock = new BootTimeClock();
  private final ClientCounters counters = new ClientCounters();

  /**
   * @param seconds for each figure
   */
  MapsBenchmark(int blocks, List<Integer> threads, double seconds, PrintWriter out) {
    this.blocks = blocks;
    this.threads = threads;
    this.seconds = seconds;
    this.out = out;
  }

  void run() throws InterruptedException {
    FilledMaps filled = fill();
    ConcurrentHashMap<BlockKey, FileMap> plain = new ConcurrentHashMap<>();
    filled.leases.forEach(map -> plain.put(map.block(), map));
    Map<String, Predicate<BlockKey>> subjects = new LinkedHashMap<>();
    subjects.put("ConcurrentHashMap", key -> plain.get(key) != null);
    subjects.put("Caffeine", key -> filled.maps.find(key) != null);
    subjects.put("cache hit", key -> hit(filled.maps.find(key)));
    for (Keys keys : Keys.values()) {
      print(keys, subjects);
    }
  }

  private FilledMaps fill() {
    Pauses pauses = new Pauses();
    long before = usedHeap();
    long start = System.nanoTime();
    FilledMaps filled = new FilledMaps(blocks, clock.nanos());
    double took = (System.nanoTime() - start) / 1e9;
    String collections = pauses.toString();
    double each = (double) (usedHeap() - before) / blocks;
    out.printf(
        Locale.ROOT,
        "%d blocks of 4 extents in a heap of %d MiB: %.1f bytes each, %.1f as the cache counts"
            + " them.%nFilled in %.1f s, with %s.%n",
        filled.maps.size(),
        Runtime.getRuntime().maxMemory() >> 20,
        each,
        (double) filled.maps.bytes() / blocks,
        took,
        collections);
    out.flush();
    return filled;
  }

  private static long usedHeap() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    memory.gc();
    return memory.getHeapMemoryUsage().getUsed();
  }

  /** What {@code FileMapCache.get} does when the map is there. */
  private boolean hit(@Nullable FileMap map) {
    long now = clock.nanos();
    if (map == null || !map.guard().admits(now)) {
      return false;
    }
    map.guard().touch(now);
    counters.mapHits.increment();
    return true;
  }

  private void print(Keys keys, Map<String, Predicate<BlockKey>> subjects)
      throws InterruptedException {
    BlockKey[] drawn = keys.draw(blocks);
    out.printf("%n| %s keys, threads ", keys.label);
    subjects.keySet().forEach(name -> out.printf("| %s: M/s | CPU ns | B ", name));
    out.println("|");
    out.println("|--:" + "|--:".repeat(3 * subjects.size()) + "|");
    for (Predicate<BlockKey> lookup : subjects.values()) {
      new Lookups(drawn, lookup).run(1, WARM_UP_SECONDS);
    }
    for (int count : threads) {
      out.printf("| %d ", count);
      for (Predicate<BlockKey> lookup : subjects.values()) {
        Lookups.Result result = new Lookups(drawn, lookup).run(count, seconds);
        out.printf(
            Locale.ROOT,
            "| %.2f | %.0f | %.2f ",
            result.perSecond() / 1e6,
            result.cpuNanos(),
            result.bytes());
      }
      out.println("|");
      out.flush();
    }
  }
}
