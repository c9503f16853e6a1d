// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.rdio.hdfs.testbed.WriteCost.Carried;
import org.junit.jupiter.api.Test;

class WriteCostTest {
  @Test
  void twoFilesTellWhatAByteCostsAndWhatAFile() {
    WriteCost cost = WriteCost.of(new Carried(1000, 3500), new Carried(5000, 15_500));

    assertThat(cost.perByte()).isCloseTo(3, offset(1e-9));
    assertThat(cost.perFile()).isCloseTo(500, offset(1e-6));
  }

  @Test
  void filesOfOneLengthTellNeither() {
    assertThatThrownBy(() -> WriteCost.of(new Carried(1000, 3500), new Carried(1000, 3600)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not of more bytes");
  }
}
