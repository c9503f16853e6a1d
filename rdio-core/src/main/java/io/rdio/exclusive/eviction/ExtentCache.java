// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.linux.ExtentWindow;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The Extent Cache (BNEX, section 3.2): where the files of one file system lie, in aligned windows,
 * so that an eviction seldom costs a system call. Not thread-safe.
 *
 * <p><b>Never a stale address.</b> All windows of a file were asked for in one epoch of it; when
 * the epoch has changed they are forgotten. What is told out carries slot and epoch along, for
 * whoever keeps it to look again before he uses it.
 *
 * <p><b>Dirty neighbours.</b> FIEMAP_FLAG_SYNC writes back the whole file, which would cost whoever
 * is writing it. A clean page was written back already and has its place, so a window is asked for
 * without it first, and with it only if that does not map what was evicted. What it does not map
 * then is a hole, and asked for again after a second.
 *
 * <p><b>Memory.</b> Bounded by the number of extents of all windows, a window and a file counting
 * {@value #EXTENTS_PER_WINDOW} more each: 24 bytes for each. The files that were used least
 * recently go.
 */
final class ExtentCache {
  /** Bytes of a file in a window; at 4 KiB an extent it has at most 4096 of them. */
  static final long WINDOW_BYTES = 16L << 20;

  /** What a window takes beside its extents, and what a file takes beside its windows. */
  static final int EXTENTS_PER_WINDOW = 16;

  private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

  /** Asks the file system; see {@link io.rdio.core.linux.InodeExtents#window}. */
  @FunctionalInterface
  interface Lookup {
    Optional<ExtentWindow> window(long inode, int generation, long start, long end, boolean sync)
        throws IOException;
  }

  /** Takes the places of what was evicted. */
  @FunctionalInterface
  interface Sink {
    /**
     * A piece of what was evicted.
     *
     * @param physical from the start of the file system's device
     * @param slot of {@link ExtentEpochs}
     * @param epoch of the file, while which this holds
     */
    void place(long physical, long length, int slot, int epoch);
  }

  private static final class CachedFile {
    final int generation;
    final int epoch;
    final Map<Long, CachedWindow> windows = new HashMap<>();
    long weight = EXTENTS_PER_WINDOW;

    CachedFile(int generation, int epoch) {
      this.generation = generation;
      this.epoch = epoch;
    }
  }

  private record CachedWindow(ExtentWindow extents, long loadedNanos, boolean synced) {
    long weight() {
      return (long) extents.count() + EXTENTS_PER_WINDOW;
    }
  }

  private final int kernelDevice;
  private final ExtentEpochs epochs;
  private final Lookup lookup;
  private final MonotonicClock clock;
  private final long maxWeight;
  private final EvictionCounters counters;
  private final LinkedHashMap<Long, CachedFile> files = new LinkedHashMap<>(16, 0.75f, true);
  private long weight;

  /**
   * @param maxWeight bound of the sum of extents and {@link #EXTENTS_PER_WINDOW} for each window
   */
  ExtentCache(
      int kernelDevice,
      ExtentEpochs epochs,
      Lookup lookup,
      MonotonicClock clock,
      long maxWeight,
      EvictionCounters counters) {
    this.kernelDevice = kernelDevice;
    this.epochs = epochs;
    this.lookup = lookup;
    this.clock = clock;
    this.maxWeight = maxWeight;
    this.counters = counters;
  }

  /** Tells the places of what was evicted; what has none is left out and counted. */
  void translate(Eviction.OfFile evicted, Sink sink) {
    int slot = epochs.slot(kernelDevice, evicted.inode());
    long end = evicted.offset() + evicted.bytes();
    for (long at = evicted.offset(); at < end; ) {
      long windowStart = at - Math.floorMod(at, WINDOW_BYTES);
      long stop = Math.min(end, windowStart + WINDOW_BYTES);
      translate(evicted, slot, windowStart, at, stop - at, sink);
      at = stop;
    }
  }

  private void translate(
      Eviction.OfFile evicted, int slot, long start, long offset, long length, Sink sink) {
    CachedFile file = file(evicted, slot);
    CachedWindow window = file.windows.get(start);
    if (window == null) {
      counters.extentMisses.increment();
      window = load(evicted, file, start, false);
    } else {
      counters.extentHits.increment();
    }
    if (window != null && !window.extents.covers(offset, length) && mayKnowMore(window)) {
      window = load(evicted, file, start, true);
    }
    if (window == null) {
      counters.unmappedBytes.add(length);
      return;
    }
    long[] told = new long[1];
    window.extents.pieces(
        offset,
        length,
        (physical, bytes) -> {
          told[0] += bytes;
          sink.place(physical, bytes, slot, file.epoch);
        });
    counters.unmappedBytes.add(length - told[0]);
    evictFiles();
  }

  /** What is known of the file in its present epoch. */
  private CachedFile file(Eviction.OfFile evicted, int slot) {
    CachedFile file = files.get(evicted.inode());
    int epoch = epochs.epoch(slot);
    if (file != null && (file.epoch != epoch || file.generation != evicted.generation())) {
      counters.extentInvalidations.increment();
      forget(evicted.inode());
      file = null;
    }
    if (file == null) {
      file = new CachedFile(evicted.generation(), epoch);
      files.put(evicted.inode(), file);
      weight += file.weight;
    }
    return file;
  }

  /** Just loaded without write-back, or long enough ago that a hole may be filled. */
  private boolean mayKnowMore(CachedWindow window) {
    return !window.synced || clock.nanos() - window.loadedNanos > RETRY_NANOS;
  }

  private @Nullable CachedWindow load(
      Eviction.OfFile evicted, CachedFile file, long start, boolean sync) {
    try {
      Optional<ExtentWindow> found =
          lookup.window(evicted.inode(), evicted.generation(), start, start + WINDOW_BYTES, sync);
      if (found.isEmpty()) {
        forget(evicted.inode());
        return null;
      }
      CachedWindow window = new CachedWindow(found.get(), clock.nanos(), sync);
      keep(file, start, window);
      return window;
    } catch (IOException e) {
      counters.lookupFailed(e.toString());
      return null;
    }
  }

  private void keep(CachedFile file, long start, CachedWindow window) {
    CachedWindow before = file.windows.put(start, window);
    long change = window.weight() - (before == null ? 0 : before.weight());
    file.weight += change;
    weight += change;
  }

  private void forget(long inode) {
    CachedFile file = files.remove(inode);
    if (file != null) {
      weight -= file.weight;
    }
  }

  /** A file that alone is too large goes too: it is asked for again. */
  private void evictFiles() {
    while (weight > maxWeight) {
      forget(files.keySet().iterator().next());
    }
  }

  /** Extents and windows, in the terms of the bound. */
  long weight() {
    return weight;
  }
}
