// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.exclusive.prefcache.NaiveSegments.Block;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random runs of blocks: FIFO against the reference, S3-FIFO against what must hold for both. */
class SegmentCacheModelTest implements SegmentCache.Listener {
  private static final int BLOCK = 4096;
  private static final int OPERATIONS = 300;

  private final Set<Block> toPrefetch = new TreeSet<>();
  private final Set<Block> discarded = new TreeSet<>();

  @Property(tries = 400)
  void fifoDoesWhatTheReferenceDoes(
      @ForAll long seed,
      @ForAll @IntRange(max = 4) int logSegment,
      @ForAll @IntRange(min = 1, max = 12) int capacitySegments,
      @ForAll OnWrite onWrite) {
    Random random = new Random(seed);
    int segment = 1 << logSegment;
    double dropAt = random.nextBoolean() ? SegmentCache.DROP_AT : 0.01 + 0.99 * random.nextDouble();
    long capacity = (long) capacitySegments * segment + random.nextInt(segment);
    SegmentCache cache = cache(segment, capacity, dropAt, SegmentPolicy.FIFO, onWrite);
    NaiveSegments naive = new NaiveSegments(segment, capacity, dropAt, onWrite);
    for (int i = 0; i < OPERATIONS; i++) {
      step(random, cache, naive, segment);
      assertThat(toPrefetch).isEqualTo(naive.toPrefetch);
      assertThat(discarded).isEqualTo(naive.discarded);
      SegmentCounts counts = cache.counts();
      assertThat(counts.segments()).isEqualTo(naive.segments());
      assertThat(counts.resident()).isEqualTo(naive.resident());
      assertThat(counts.hits()).isEqualTo(naive.hits);
      assertThat(counts.wasted()).isEqualTo(naive.wasted);
      assertThat(counts.late()).isEqualTo(naive.late);
      assertBalanced(counts, capacity);
    }
    for (int device = 0; device < 2; device++) {
      for (long block = 0; block < 40L * segment; block++) {
        assertThat(cache.isValid(device, block)).isEqualTo(naive.isValid(new Block(device, block)));
      }
    }
  }

  @Property(tries = 200)
  void s3FifoNeverHoldsMoreThanItMayAndLosesCountOfNothing(
      @ForAll long seed,
      @ForAll @IntRange(max = 6) int logSegment,
      @ForAll @IntRange(min = 1, max = 40) int capacitySegments) {
    Random random = new Random(seed);
    int segment = 1 << logSegment;
    long capacity = (long) capacitySegments * segment;
    SegmentCache cache =
        cache(segment, capacity, SegmentCache.DROP_AT, SegmentPolicy.S3_FIFO, OnWrite.DROP);
    Set<Block> valid = new TreeSet<>();
    for (int i = 0; i < OPERATIONS; i++) {
      step(random, cache, null, segment);
      assertBalanced(cache.counts(), capacity);
    }
    for (int device = 0; device < 2; device++) {
      for (long block = 0; block < 40L * segment; block++) {
        if (cache.isValid(device, block)) {
          valid.add(new Block(device, block));
        }
      }
    }
    assertThat(valid).hasSize((int) cache.counts().resident());
    assertThat(valid).noneMatch(discarded::contains);
  }

  private void step(Random random, SegmentCache cache, NaiveSegments naive, int segment) {
    int device = random.nextInt(2);
    long first = random.nextInt(38 * segment);
    int blocks = 1 + random.nextInt(2 * segment);
    List<List<Block>> parts = parts(device, first, blocks, segment);
    toPrefetch.clear();
    discarded.clear();
    if (naive != null) {
      naive.toPrefetch.clear();
      naive.discarded.clear();
    }
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        cache.evictedAtCompute(device, first, blocks);
        parts.forEach(part -> call(naive, part, NaiveSegments::evicted));
      }
      case 3, 4 -> {
        cache.prefetched(device, first, blocks);
        parts.forEach(part -> call(naive, part, NaiveSegments::prefetched));
      }
      case 5 -> {
        cache.read(device, first, blocks);
        parts.forEach(part -> call(naive, part, NaiveSegments::read));
      }
      case 6 -> {
        cache.written(device, first, blocks);
        parts.forEach(part -> call(naive, part, NaiveSegments::written));
      }
      default -> {
        cache.prefetchFailed(device, first, blocks);
        parts.forEach(part -> call(naive, part, NaiveSegments::prefetchFailed));
      }
    }
  }

  private interface Call {
    void on(NaiveSegments naive, List<Block> blocks);
  }

  private static void call(NaiveSegments naive, List<Block> part, Call call) {
    if (naive != null) {
      call.on(naive, part);
    }
  }

  private static List<List<Block>> parts(int device, long first, int blocks, int segment) {
    TreeMap<Long, List<Block>> parts = new TreeMap<>();
    for (long block = first; block < first + blocks; block++) {
      parts.computeIfAbsent(block / segment, s -> new ArrayList<>()).add(new Block(device, block));
    }
    return List.copyOf(parts.values());
  }

  private SegmentCache cache(
      int segment, long capacity, double dropAt, SegmentPolicy policy, OnWrite onWrite) {
    return new SegmentCache(
        new SegmentGeometry(BLOCK, segment * BLOCK),
        capacity * BLOCK,
        dropAt,
        policy,
        onWrite,
        this);
  }

  private static void assertBalanced(SegmentCounts counts, long capacity) {
    assertThat(counts.resident() + counts.prefetching()).isBetween(0L, capacity);
    assertThat(counts.admitted())
        .isEqualTo(counts.prefetching() + counts.prefetched() + counts.late() + counts.givenUp());
    assertThat(counts.prefetched()).isEqualTo(counts.resident() + counts.hits() + counts.wasted());
  }

  @Override
  public void prefetch(int device, long firstBlock, int blocks) {
    note(toPrefetch, device, firstBlock, blocks);
  }

  @Override
  public void discard(int device, long firstBlock, int blocks) {
    note(discarded, device, firstBlock, blocks);
  }

  private static void note(Set<Block> set, int device, long firstBlock, int blocks) {
    assertThat(blocks).isPositive();
    for (long block = firstBlock; block < firstBlock + blocks; block++) {
      assertThat(set.add(new Block(device, block))).as("told twice of %s", block).isTrue();
    }
  }
}
