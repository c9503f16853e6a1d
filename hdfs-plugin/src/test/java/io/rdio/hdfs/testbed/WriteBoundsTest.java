// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import org.junit.jupiter.api.Test;

/** What docs/remote-writes.md says of bytes on the links. */
class WriteBoundsTest {
  @Test
  void crcsCrossTwoLinks() {
    WriteBounds one = new WriteBounds(1);
    WriteBounds three = new WriteBounds(3);

    assertThat(one.explained()).isCloseTo(1.0156, offset(1e-4));
    assertThat(three.explained()).isCloseTo(3.047, offset(1e-3));
    assertThat(three.allLinksMax()).isCloseTo(three.explained() + 0.02, offset(1e-9));
  }

  @Test
  void theComputeNetworkHasNoMoreThanCrcsAndHeaders() {
    WriteBounds three = new WriteBounds(3);

    assertThat(three.crcs()).isBetween(three.computeMin(), three.computeMax());
    assertThat(three.computeMax()).isLessThan(0.04);
    assertThat(new WriteBounds(5.0 / 3).computeMax()).isLessThan(0.03);
  }

  @Test
  void whatWasAskedForIsOutOfReachOfThreeReplicasAndNotOfOne() {
    assertThat(new WriteBounds(1).asked()).isGreaterThan(new WriteBounds(1).explained());
    assertThat(new WriteBounds(3).asked()).isLessThan(new WriteBounds(3).explained());
  }

  @Test
  void jsonHasAllOfThem() {
    assertThat(new WriteBounds(3).fields())
        .containsEntry("stored", 3.0)
        .containsEntry("asked", 3.02)
        .containsKeys("crcs_on_each", "all_links_max", "compute_max", "stock_min_on_each");
  }
}
