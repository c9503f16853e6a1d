// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Has DataNodes store what a {@link WarmUp} wants: RDIO first, then stock HDFS as many blocks as
 * that did, so that neither has the older code. For one thread.
 */
final class WarmUpRun {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Has files written of which every DataNode stores a block, and removes them. */
  @FunctionalInterface
  interface Store {
    /**
     * Does so once.
     *
     * @param files at most
     * @param seconds from which on no further one is begun
     * @return those that were written by this way, at least one
     */
    long store(Way way, int files, double seconds) throws IOException;
  }

  /**
   * What each DataNode stored by a way.
   *
   * @param isEnough whether it was as much as wanted, and not what there was time for
   */
  record Stored(long blocks, double seconds, boolean isEnough) {
    /** For JSON. */
    Map<String, Object> fields() {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("blocks", blocks);
      fields.put("seconds", seconds);
      fields.put("enough", isEnough);
      return fields;
    }

    /** For people. */
    String by(Way way) {
      return String.format(
          Locale.ROOT,
          "%d by %s in %.0f s%s",
          blocks,
          way.label(),
          seconds,
          isEnough ? "" : ", which were fewer than wanted when --warm-up-max was over");
    }
  }

  private final WarmUp warmUp;
  private final int filesMax;
  private final Store store;
  private final LongSupplier nanoTime;
  private final Consumer<String> progress;

  /**
   * @param filesMax that pools have slots for
   * @param nanoTime a clock, in nanoseconds
   * @param progress is told what goes on
   */
  WarmUpRun(
      WarmUp warmUp, int filesMax, Store store, LongSupplier nanoTime, Consumer<String> progress) {
    this.warmUp = warmUp;
    this.filesMax = filesMax;
    this.store = store;
    this.nanoTime = nanoTime;
    this.progress = progress;
  }

  /**
   * Does it.
   *
   * @param ways of which stock HDFS is one
   * @return of each way; none if nothing is wanted
   */
  Map<Way, Stored> run(List<Way> ways) throws IOException {
    Map<Way, Stored> all = new EnumMap<>(Way.class);
    if (warmUp.blocks() == 0) {
      return all;
    }
    List<Way> byRdio = ways.stream().filter(way -> way != Way.STOCK).toList();
    long blocks = 0;
    int done = 0;
    for (Way way : byRdio) {
      done++;
      Stored stored = storeBy(way, warmUp.due(done, byRdio.size()) - blocks);
      blocks += stored.blocks();
      all.put(way, stored);
    }
    all.put(Way.STOCK, storeBy(Way.STOCK, blocks));
    return all;
  }

  private Stored storeBy(Way way, long wanted) throws IOException {
    double max = warmUp.secondsMax();
    progress.accept(
        String.format(
            Locale.ROOT,
            "Warming up by %s until each DataNode has stored %d blocks, for %.1f s at most...",
            way.label(),
            wanted,
            max));
    long start = nanoTime.getAsLong();
    long blocks = 0;
    double seconds = 0;
    while (blocks < wanted && seconds < max) {
      int files = (int) Math.min(filesMax, wanted - blocks);
      blocks += store.store(way, files, max - seconds);
      seconds = (nanoTime.getAsLong() - start) / NANOS_PER_SECOND;
    }
    Stored stored = new Stored(blocks, seconds, blocks >= wanted);
    if (!stored.isEnough()) {
      progress.accept(
          String.format(
              Locale.ROOT,
              "--warm-up-max %.1f is over: each DataNode has stored %d of %d blocks by %s; it goes"
                  + " on with these; fix: a larger --warm-up-max, or a smaller --warm-up",
              max,
              blocks,
              wanted,
              way.label()));
    }
    return stored;
  }
}
