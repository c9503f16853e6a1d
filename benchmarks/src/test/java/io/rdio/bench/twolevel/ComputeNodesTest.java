// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.twolevel.PageCache.Model;
import io.rdio.bench.twolevel.TwoLevels.Counts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several page caches over one storage cache. */
class ComputeNodesTest {
  private static final int BLOCKS = 4096;
  private static final int LEVEL1 = BLOCKS / 4;
  private static final List<String> POLICIES =
      List.of("Vanilla", "Incl", "DEMOTE", "DM-Cache", "BNEX", "BNEX-S3-FIFO");

  /** One pass over the data set, from a start of each node's own. */
  private record Pass(int shift, int node) implements Workload {
    @Override
    public String label() {
      return "pass";
    }

    @Override
    public Workload ofNode(int other) {
      return new Pass(shift, other);
    }

    @Override
    public boolean isSequential() {
      return true;
    }

    @Override
    public void replay(int blocks, Reader reader) throws IOException {
      for (int block = 0; block < blocks; block++) {
        reader.read((block + node * shift) % blocks, 1);
      }
    }
  }

  private static ComputeNodes nodes(int count, String policy, int capacity) {
    StorageCache level2 = StorageCaches.create(policy, BLOCKS, capacity, count);
    return new ComputeNodes(count, BLOCKS, Model.LRU, LEVEL1, level2);
  }

  @Test
  void oneNodeIsTheTwoLevelsThatItHas() throws IOException {
    Workload workload = new YcsbC(0.99, 8, 5);
    for (String policy : POLICIES) {
      TwoLevels levels =
          new TwoLevels(
              BLOCKS, Model.LRU, LEVEL1, StorageCaches.create(policy, BLOCKS, BLOCKS / 2));
      workload.replay(BLOCKS, levels);

      assertThat(nodes(1, policy, BLOCKS / 2).replay(workload, BLOCKS, 0))
          .as(policy)
          .isEqualTo(levels.counts());
    }
  }

  @Test
  void whatOneNodeBroughtInTheOthersHit() throws IOException {
    Counts same = nodes(3, "Incl", BLOCKS).replay(new Pass(0, 0), BLOCKS, 0);

    assertThat(same.read()).isEqualTo(3 * BLOCKS);
    assertThat(same.asked()).isEqualTo(3 * BLOCKS);
    assertThat(same.hits()).isEqualTo(2 * BLOCKS);
  }

  @Test
  void nodesTakeTurns() throws IOException {
    // A quarter of the data set behind, one reads what the other one brought in, while both bring
    // in
    // half of it. Were one to read all before the other one begins, that one would hit nothing.
    Pass apart = new Pass(BLOCKS / 4, 0);
    assertThat(nodes(2, "Incl", BLOCKS * 5 / 8).replay(apart, BLOCKS, 0).hits())
        .isEqualTo(BLOCKS * 3 / 4);
    assertThat(nodes(2, "Incl", BLOCKS / 4).replay(apart, BLOCKS, 0).hits()).isZero();
  }

  @Test
  void aDmCacheServesItsOwnNodeOnly() throws IOException {
    // Each block is read once by each node: by one that shared it a second node would have hits.
    assertThat(nodes(3, "DM-Cache", BLOCKS).replay(new Pass(0, 0), BLOCKS, 0).hits())
        .isEqualTo(nodes(1, "DM-Cache", BLOCKS / 3).replay(new Pass(0, 0), BLOCKS, 0).hits() * 3);
  }

  @Test
  void whatIsCountedBeginsWhenItIsWarm() throws IOException {
    Counts counts = nodes(2, "Vanilla", BLOCKS).replay(new Pass(0, 0), BLOCKS, BLOCKS);
    assertThat(counts.read()).isEqualTo(BLOCKS);

    Counts never = nodes(2, "Vanilla", BLOCKS).replay(new Pass(0, 0), BLOCKS, 3L * BLOCKS);
    assertThat(never).isEqualTo(new Counts(0, 0, 0, 0, 0, 0));
  }

  @Test
  void resultsRepeatAndCannotBeMoreThanAsked() throws IOException {
    for (Workload workload : List.of(new TableScans(3, 6, 5), new YcsbC(0.99, 8, 5))) {
      for (String policy : POLICIES) {
        Counts counts = nodes(4, policy, BLOCKS / 2).replay(workload, BLOCKS, BLOCKS);
        assertThat(nodes(4, policy, BLOCKS / 2).replay(workload, BLOCKS, BLOCKS))
            .as("%s, %s", workload.label(), policy)
            .isEqualTo(counts);
        assertThat(counts.hits()).isBetween(0L, counts.asked());
        assertThat(counts.unreadPrefetches()).isBetween(0L, counts.prefetched());
      }
    }
  }

  @Test
  void eachNodeReadsInItsOwnOrderAndTheSamePopularRecords() throws IOException {
    Workload first = new YcsbC(0.99, 8, 5);
    assertThat(order(first.ofNode(0))).isEqualTo(order(first));
    assertThat(order(first.ofNode(1))).isNotEqualTo(order(first));
    assertThat(mostRead(first.ofNode(1))).isEqualTo(mostRead(first));
    assertThat(order(new TableScans(3, 6, 5).ofNode(1)))
        .isNotEqualTo(order(new TableScans(3, 6, 5)));
  }

  private static List<Integer> order(Workload workload) throws IOException {
    List<Integer> order = new ArrayList<>();
    workload.replay(BLOCKS, (first, blocks) -> order.add(first));
    return order;
  }

  private static int mostRead(Workload workload) throws IOException {
    int[] reads = new int[BLOCKS];
    workload.replay(BLOCKS, (first, blocks) -> reads[first]++);
    int most = 0;
    for (int block = 0; block < BLOCKS; block++) {
      most = reads[block] > reads[most] ? block : most;
    }
    return most;
  }
}
