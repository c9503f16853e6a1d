// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.testing.ManualClock;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random operations, against a set of the chunks that must or may be here. */
class BlockDataCacheModelTest {
  private static final int CHUNK = 4096;
  private static final int LONGEST = 20 * CHUNK;
  private static final int BLOCKS = 6;

  private record Chunk(SeededBlock block, long index) {}

  private final ManualClock clock = new ManualClock();
  private final byte[] got = new byte[LONGEST];

  @Property(tries = 300, seed = "20261128")
  void whereThereIsRoomForAllItIsExactlyWhatWasInserted(@ForAll long seed) {
    run(new Random(seed), 256, true);
  }

  @Property(tries = 300, seed = "20261128")
  void elseItIsSomeOfThatWithinTheBound(
      @ForAll long seed, @ForAll @IntRange(min = 16, max = 60) int slots) {
    run(new Random(seed), slots, false);
  }

  private void run(Random random, int slots, boolean exact) {
    ClientCounters counters = new ClientCounters();
    BlockDataCache cache = new BlockDataCache((long) slots * CHUNK, CHUNK, clock, counters);
    List<SeededBlock> blocks =
        random
            .longs(BLOCKS, 1, LONGEST)
            .mapToObj(length -> new SeededBlock(length % 2, length, length))
            .toList();
    Set<Chunk> inserted = new HashSet<>();
    for (int i = 0; i < 200; i++) {
      SeededBlock block = blocks.get(random.nextInt(BLOCKS));
      Lease lease = new Lease(1, 1, clock.nanos(), clock.nanos() + 1_000_000);
      int from = random.nextInt((int) block.length());
      int count = 1 + random.nextInt((int) block.length() - from);
      switch (random.nextInt(8)) {
        case 0 -> {
          lease.end();
          cache.drop(block.map(lease));
          inserted.removeIf(chunk -> chunk.block().equals(block));
        }
        case 1, 2, 3 -> {
          cache.insert(block.map(lease), from, from + count, block::copy);
          remember(inserted, block, from, from + count);
        }
        default -> read(cache, inserted, block, from, count, exact);
      }
      assertThat(cache.allocatedBytes()).isLessThanOrEqualTo((long) slots * CHUNK);
      assertThat(cache.cachedBytes()).isLessThanOrEqualTo((long) inserted.size() * CHUNK);
    }
    assertThat(exact && counters.dataCacheEvictions.sum() > 0).isFalse();
    blocks.forEach(block -> cache.drop(block.map(new Lease(1, 1, 0, 0))));
    assertThat(cache.cachedBytes()).isZero();
  }

  private static void remember(Set<Chunk> inserted, SeededBlock block, long from, long to) {
    for (long start = 0; start < block.length(); start += CHUNK) {
      if (start >= from && Math.min(start + CHUNK, block.length()) <= to) {
        inserted.add(new Chunk(block, start / CHUNK));
      }
    }
  }

  private void read(
      BlockDataCache cache,
      Set<Chunk> inserted,
      SeededBlock block,
      int from,
      int count,
      boolean exact) {
    int most = 0;
    while (most < count && inserted.contains(new Chunk(block, (from + most) / CHUNK))) {
      most++;
    }
    int done = cache.read(block.map(new Lease(1, 1, 0, Long.MAX_VALUE / 2)), from, got, 0, count);
    if (exact) {
      assertThat(done).isEqualTo(most);
    } else {
      assertThat(done).isBetween(0, most);
    }
    assertThat(block.firstWrong(from, got, done)).isEqualTo(-1);
  }
}
