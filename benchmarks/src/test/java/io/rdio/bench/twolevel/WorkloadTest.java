// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.twolevel.Tables.Extent;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the workloads read. */
class WorkloadTest {
  private static final int BLOCKS = 4096;

  private static long[] readsOf(Workload workload) throws IOException {
    long[] reads = new long[BLOCKS];
    workload.replay(
        BLOCKS,
        (first, blocks) -> {
          for (int block = first; block < first + blocks; block++) {
            reads[block]++;
          }
        });
    return reads;
  }

  @Test
  void tablesHaveTheirShareAndCoverAll() {
    Tables tables = new Tables(BLOCKS);
    Extent lineItem = tables.scans(0).get(0);
    assertThat(lineItem.first()).isZero();
    assertThat((double) lineItem.blocks() / BLOCKS).isCloseTo(0.67, within(0.001));
    // Query 2: part, supplier, partsupp, nation, region, and all but part again.
    assertThat(tables.scans(1)).hasSize(9);
    assertThat(tables.scans(1).get(3).blocks()).as("nation").isEqualTo(1);
    assertThat(tables.scans(1).get(4).first()).as("region, the last").isEqualTo(BLOCKS - 1);
    boolean[] covered = new boolean[BLOCKS];
    for (int query = 0; query < Tables.queries(); query++) {
      for (Extent scan : tables.scans(query)) {
        Arrays.fill(covered, scan.first(), scan.first() + scan.blocks(), true);
      }
    }
    assertThat(covered).doesNotContain(false);
    assertThatIllegalArgumentException().isThrownBy(() -> new Tables(7)).withMessageContaining("7");
  }

  @Test
  void streamsScanEveryTableOfEveryQuery() throws IOException {
    long[] reads = readsOf(new TableScans(3, Tables.queries(), 1));
    Tables tables = new Tables(BLOCKS);
    long[] expected = new long[BLOCKS];
    for (int query = 0; query < Tables.queries(); query++) {
      for (Extent scan : tables.scans(query)) {
        for (int block = scan.first(); block < scan.first() + scan.blocks(); block++) {
          expected[block] += 3;
        }
      }
    }
    assertThat(reads).isEqualTo(expected);
  }

  @Test
  void ycsbIsAsSkewedAsItSays() throws IOException {
    long[] uniform = sorted(readsOf(new YcsbC(0, 64, 1)));
    assertThat(uniform[0]).isGreaterThan(20);
    assertThat(uniform[BLOCKS - 1]).isLessThan(120);

    YcsbC zipf = new YcsbC(0.99, 64, 1);
    long[] reads = readsOf(zipf);
    assertThat(Arrays.stream(reads).sum()).isEqualTo(64L * BLOCKS);
    // The first of 16384 records has 1 / sum(1/k^0.99) of the reads: about a tenth.
    double share =
        1 / IntStream.rangeClosed(1, 4 * BLOCKS).mapToDouble(k -> Math.pow(k, -0.99)).sum();
    assertThat((double) sorted(reads)[BLOCKS - 1] / (64L * BLOCKS)).isCloseTo(share, within(0.01));
  }

  @Test
  void theSameSeedReadsTheSame() throws IOException {
    for (Workload workload :
        List.of(new TableScans(2, 3, 7), new YcsbC(0, 2, 7), new YcsbC(0.99, 2, 7))) {
      assertThat(order(workload)).isEqualTo(order(workload));
    }
    assertThat(order(new YcsbC(0, 2, 8))).isNotEqualTo(order(new YcsbC(0, 2, 7)));
    assertThat(order(new TableScans(2, 3, 8))).isNotEqualTo(order(new TableScans(2, 3, 7)));
  }

  private static String order(Workload workload) throws IOException {
    StringBuilder order = new StringBuilder();
    workload.replay(
        BLOCKS, (first, blocks) -> order.append(first).append('+').append(blocks).append(' '));
    return order.toString();
  }

  private static long[] sorted(long[] values) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted;
  }
}
