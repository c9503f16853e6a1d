// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.simulator.Policies;
import io.rdio.bench.simulator.Trace;
import io.rdio.bench.twolevel.PageCache.Model;
import io.rdio.bench.twolevel.TwoLevels.Counts;
import io.rdio.exclusive.prefcache.SegmentPolicy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What holds of both levels together, whatever the workload. */
class TwoLevelsTest {
  private static final int BLOCKS = 1024;
  private static final int LEVEL1 = BLOCKS / 4;
  private static final List<Workload> WORKLOADS =
      List.of(new TableScans(3, 6, 5), new YcsbC(0, 10, 5), new YcsbC(0.99, 10, 5));

  /** Level 2 as a script: remembers what it was told. */
  private static final class Told implements StorageCache {
    private final List<String> calls = new ArrayList<>();

    @Override
    public int read(int first, int blocks) {
      calls.add("read " + first + "+" + blocks);
      return 1;
    }

    @Override
    public void evicted(int first, int blocks) {
      calls.add("evicted " + first + "+" + blocks);
    }

    @Override
    public long extraNetworkBytes() {
      return 7;
    }
  }

  @Test
  void asksForEachRunThatLevel1LacksAndTellsRunsThatItEvicts() {
    Told told = new Told();
    TwoLevels levels = new TwoLevels(64, Model.LRU, 8, told);
    levels.read(0, 4);
    levels.read(10, 2);
    levels.read(
        0, 14); // 0-3 and 10-11 are here; 4-9 evicts none of them, for they were just read...
    assertThat(told.calls)
        .containsExactly(
            "read 0+4",
            "read 10+2",
            "read 4+6",
            "evicted 10+2",
            "evicted 0+2",
            "read 10+4",
            "evicted 2+4");
    Counts counts = levels.counts();
    assertThat(counts.read()).isEqualTo(20);
    assertThat(counts.asked()).isEqualTo(16);
    assertThat(counts.hits()).isEqualTo(4);
    assertThat(counts.networkBytes()).isEqualTo(16 * 4096 + 7);
    assertThat(counts.since(counts)).isEqualTo(new Counts(0, 0, 0, 0, 0, 0));
  }

  @Test
  void demoteHasNoBlockInBothLevels() throws IOException {
    for (Workload workload : WORKLOADS) {
      for (Model model : Model.values()) {
        DemoteCache level2 = new DemoteCache(BLOCKS, LEVEL1);
        assertThat(inBothLevels(workload, model, level2, level2::contains)).isZero();
      }
    }
  }

  /** Near: a block may be back in level 1 before level 2 hears that it left. */
  @Test
  void bnexHasHardlyABlockInBothLevels() throws IOException {
    for (Workload workload : WORKLOADS) {
      for (SegmentPolicy policy : SegmentPolicy.values()) {
        Bnex level2 = new Bnex(LEVEL1, LEVEL1, policy);
        assertThat(inBothLevels(workload, Model.LINUX, level2, level2::contains)).isLessThan(0.02);
      }
    }
  }

  /** What share of the blocks in level 2 are in level 1 as well, looking now and then. */
  private static double inBothLevels(
      Workload workload, Model model, StorageCache level2, IntPredicate inLevel2)
      throws IOException {
    TwoLevels levels = new TwoLevels(BLOCKS, model, LEVEL1, level2);
    long[] seen = new long[3];
    workload.replay(
        BLOCKS,
        (first, blocks) -> {
          levels.read(first, blocks);
          if (seen[0]++ % 64 == 0) {
            for (int block = 0; block < BLOCKS; block++) {
              if (inLevel2.test(block)) {
                seen[1]++;
                seen[2] += levels.level1().contains(block) ? 1 : 0;
              }
            }
          }
        });
    assertThat(seen[1]).as("blocks found in level 2").isPositive();
    return (double) seen[2] / seen[1];
  }

  /**
   * No better than one cache of both sizes: unless, as DM-Cache, a policy brings in neighbours that
   * nobody asked for.
   */
  @Test
  void nobodyBeatsTheOptimumOfBothLevelsAsOne() throws IOException {
    for (Workload workload : WORKLOADS) {
      LongStream.Builder ids = LongStream.builder();
      workload.replay(
          BLOCKS,
          (first, blocks) -> IntStream.range(first, first + blocks).forEach(id -> ids.add(id)));
      Trace trace = Trace.of(workload.label(), ids.build().toArray());
      int level2 = BLOCKS / 4;
      int leastMisses = trace.misses(Policies.create("Belady", LEVEL1 + level2, trace));
      for (String policy : List.of("Vanilla", "Incl", "DEMOTE", "BNEX", "BNEX-S3-FIFO")) {
        StorageCache storage = StorageCaches.create(policy, BLOCKS, level2);
        TwoLevels levels = new TwoLevels(BLOCKS, Model.LINUX, LEVEL1, storage);
        workload.replay(BLOCKS, levels);
        Counts counts = levels.counts();
        assertThat(counts.asked() - counts.hits())
            .as("%s, %s", workload.label(), policy)
            .isGreaterThanOrEqualTo(leastMisses);
        assertThat(counts.hits()).isBetween(0L, counts.asked());
        assertThat(counts.unreadPrefetches()).isBetween(0L, counts.prefetched());
      }
    }
  }
}
