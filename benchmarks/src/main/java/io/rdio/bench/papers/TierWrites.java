// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.FlashAdmission.Filter;
import io.rdio.bench.papers.MissRatios.Size;
import io.rdio.bench.simulator.Trace;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.datacache.flash.FlashFile;
import io.rdio.client.datacache.flash.LocalFlashFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Misses and writes of the flash tier itself, in a file past the page cache, beside what the
 * simulation of figure 9 says of a cache as large.
 */
final class TierWrites implements Part {
  static final String MISSES = "miss ratio of the flash tier, mean of all traces";
  static final String WRITES =
      "chunks written to the flash tier's file for each different one, mean";
  static final String SKIPS = "chunks that the file was too slow for, of those that it should have";
  static final String TIER = "flash tier, measured";
  static final String SIMULATED = "simulated: S3-FIFO's small queue, flash its main queue";
  static final String ALL = "simulated: FIFO, no admission";

  /** Memory's shares of the cache. Of less the cache's least memory would be more. */
  static final List<String> SHARES = List.of("1%", "10%");

  private static final Size LARGE = MissRatios.SIZES.get(0);

  /** Of the file: it is written by whole ones. */
  private static final int REGION_BYTES = 2 << 20;

  private static final int REGION_CHUNKS = REGION_BYTES / TierReplay.CHUNK;

  /** In chunks: with a tenth of it in memory the rest is as many regions as a tier has at least. */
  private static final int LEAST_CAPACITY = 8_600;

  /** In chunks: half a gigabyte of a disk. */
  private static final int MOST_CAPACITY = 1 << 17;

  private static final int PERCENT = 100;
  private static final Duration BOUND = Duration.ofMinutes(9);

  @Override
  public String name() {
    return "flash-tier";
  }

  @Override
  public String runs(boolean quick) {
    return "replay by the block data cache and its flash tier, in a file of --store, and simulation"
        + " of a cache of "
        + LARGE.label()
        + " in memory and flash, on all traces that have "
        + (int) (LEAST_CAPACITY / LARGE.share())
        + " to "
        + (int) (MOST_CAPACITY / LARGE.share())
        + " objects; a chunk of "
        + TierReplay.CHUNK
        + " bytes is an object";
  }

  @Override
  public Duration bound(boolean quick) {
    return quick ? Duration.ZERO : BOUND;
  }

  @Override
  public boolean needsRoot() {
    return false;
  }

  @Override
  public boolean inQuick() {
    return false;
  }

  @Override
  public Measured run(Terms terms) throws IOException {
    FlashOutcomes outcomes = new FlashOutcomes();
    Panel.Builder skips = Panel.of(SKIPS, "trace", "share");
    PaperTraces.forEach(
        terms,
        (group, trace) -> {
          int capacity = LARGE.capacity(trace);
          if (capacity < LEAST_CAPACITY || capacity > MOST_CAPACITY) {
            return;
          }
          for (String share : SHARES) {
            double memory = Double.parseDouble(share.replace("%", "")) / PERCENT;
            Cache cache = Cache.of(capacity, memory);
            TierReplay.Outcome outcome = measure(terms, trace, cache);
            skips.add("memory " + share, trace.name(), outcome.skipRatio());
            outcomes.add(
                TIER, share, new FlashAdmission.Outcome(outcome.missRatio(), outcome.writeRatio()));
            outcomes.add(SIMULATED, share, cache.simulated(trace, Filter.SMALL_AND_MAIN_QUEUE));
            outcomes.add(ALL, share, cache.simulated(trace, Filter.NONE));
          }
        });
    return new Measured(List.of(outcomes.misses(MISSES), outcomes.writes(WRITES), skips.build()));
  }

  /**
   * A cache whose file has as many whole regions as a capacity has room for.
   *
   * @param memory in chunks
   */
  private record Cache(int memory, int regions) {
    static Cache of(int capacity, double memoryShare) {
      int memory = Math.max(BlockDataCache.MIN_CHUNKS, (int) (capacity * memoryShare));
      return new Cache(memory, (capacity - memory) / REGION_CHUNKS);
    }

    long fileBytes() {
      return (1L + regions) * REGION_BYTES; // the first one is a header
    }

    FlashAdmission.Outcome simulated(Trace trace, Filter filter) {
      int chunks = memory + regions * REGION_CHUNKS;
      return FlashAdmission.replay(trace, chunks, (double) memory / chunks, filter);
    }
  }

  private static TierReplay.Outcome measure(Terms terms, Trace trace, Cache cache)
      throws IOException {
    Path path = terms.folder().resolve("flash-tier.file");
    try {
      FlashFile file = open(path, cache.fileBytes());
      return TierReplay.replay(trace, file, cache.memory(), terms.deadline());
    } finally {
      Files.deleteIfExists(path);
      Files.deleteIfExists(path.resolveSibling(path.getFileName() + ".lock"));
    }
  }

  private static FlashFile open(Path path, long bytes) throws IOException {
    try {
      return LocalFlashFile.open(path, bytes);
    } catch (IOException e) {
      throw new IOException(e.getMessage() + "; fix: a --store on a local disk", e);
    }
  }
}
