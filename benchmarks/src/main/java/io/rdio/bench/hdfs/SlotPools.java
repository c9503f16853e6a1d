// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The free slots of a cluster's DataNodes, as the folders of their volumes show them at once:
 * metrics are some seconds old. For one thread.
 */
public final class SlotPools {
  private static final String POOL = "data/rdio/slots/pool";

  /** Some upkeeps of a DataNode, in each of which it makes slots if it wants any. */
  private static final Duration CALM = Duration.ofSeconds(5);

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Cluster cluster;
  private List<Map<Long, Integer>> full = List.of();

  SlotPools(Cluster cluster) {
    this.cluster = cluster;
  }

  /**
   * The free slots of some moment.
   *
   * @param volumes for each volume the bytes of its slots, by their numbers
   */
  record Free(List<Map<String, Long>> volumes) {
    /** For each volume the number of slots of each size. */
    List<Map<Long, Integer>> counts() {
      List<Map<Long, Integer>> counts = new ArrayList<>();
      for (Map<String, Long> slots : volumes) {
        Map<Long, Integer> bySize = new TreeMap<>();
        slots.values().forEach(bytes -> bySize.merge(bytes, 1, Integer::sum));
        counts.add(bySize);
      }
      return counts;
    }

    /** Bytes of the smallest pool. */
    long leastBytes() {
      return volumes.stream()
          .mapToLong(slots -> slots.values().stream().mapToLong(Long::longValue).sum())
          .min()
          .orElse(0);
    }

    /**
     * Bytes of slots that are here and were not there before. A slot that was lent and comes back
     * keeps its number. One that is made is lent behind those that were there, so that none is
     * overlooked as long as not all of these are lent.
     */
    long newBytes(Free before) {
      long bytes = 0;
      for (int i = 0; i < volumes.size(); i++) {
        Map<String, Long> known = before.volumes.get(i);
        for (Map.Entry<String, Long> slot : volumes.get(i).entrySet()) {
          bytes += known.containsKey(slot.getKey()) ? 0 : slot.getValue();
        }
      }
      return bytes;
    }
  }

  /** As they are now. */
  Free free() throws IOException {
    List<Map<String, Long>> volumes = new ArrayList<>();
    for (int i = 0; i < cluster.dataNodes(); i++) {
      volumes.add(slots(cluster.volume(i).mountPoint().resolve(POOL)));
    }
    return new Free(volumes);
  }

  /** By number: {@code <bytes>/<number>.<nonce>}. */
  static Map<String, Long> slots(Path pool) throws IOException {
    Map<String, Long> slots = new HashMap<>();
    for (Path size : list(pool)) {
      for (Path slot : list(size)) {
        slots.put(name(slot).split("\\.", 2)[0], Long.valueOf(name(size)));
      }
    }
    return slots;
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    } catch (NoSuchFileException e) {
      return List.of(); // the DataNode has not made it yet
    }
  }

  private static String name(Path path) {
    return Objects.requireNonNull(path.getFileName(), "no name").toString();
  }

  /**
   * Waits until pools are filled for the first time.
   *
   * @param poolBytes that the DataNodes want of each
   * @param blockBytes of the largest slots
   */
  public void awaitFilled(long poolBytes, long blockBytes) throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    long changed = System.nanoTime();
    Free last = free();
    while (last.leastBytes() <= poolBytes - blockBytes
        || System.nanoTime() - changed < CALM.toNanos()) {
      pause(end, "pools of " + poolBytes + " bytes are not filled", last);
      Free now = free();
      changed = now.equals(last) ? changed : System.nanoTime();
      last = now;
    }
    full = last.counts();
  }

  /** Waits until all slots are free, and has all that was written put on the devices. */
  public void settle() throws IOException {
    awaitFull();
    cluster.writeBack();
  }

  /** Waits until they have as many slots of each size as when they were filled. */
  Free awaitFull() throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    Free now = free();
    while (!hasAll(now.counts(), full)) {
      pause(end, "pools are not as full as before, " + full, now);
      now = free();
    }
    return now;
  }

  static boolean hasAll(List<Map<Long, Integer>> counts, List<Map<Long, Integer>> wanted) {
    for (int i = 0; i < wanted.size(); i++) {
      Map<Long, Integer> has = counts.get(i);
      if (!wanted.get(i).entrySet().stream()
          .allMatch(each -> has.getOrDefault(each.getKey(), 0) >= each.getValue())) {
        return false;
      }
    }
    return true;
  }

  private void pause(long end, String what, Free now) throws IOException {
    if (System.nanoTime() > end) {
      throw new IOException(
          String.format(
              "within %d minutes %s: free are, by size, %s; the logs of the DataNodes in %s say why",
              PATIENCE.toMinutes(), what, now.counts(), cluster.folder()));
    }
    LockSupport.parkNanos(PAUSE.toNanos());
  }
}
