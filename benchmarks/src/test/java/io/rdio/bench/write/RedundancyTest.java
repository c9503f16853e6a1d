// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedundancyTest {
  private static final long MIB = 1L << 20;
  private static final long BLOCK = 128 * MIB;

  @Test
  void replicasAreWholeFiles() {
    Redundancy three = Redundancy.replicas(3);
    assertThat(three).hasToString("× 3");
    assertThat(three.isCoded()).isFalse();
    assertThat(three.units()).isEqualTo(3);
    assertThat(three.replication()).isEqualTo(3);
    assertThat(three.stored()).isEqualTo(3);
    assertThat(three.groups(BLOCK + 1, BLOCK)).isEqualTo(2);
    assertThat(three.fittingBlock(MIB + 1, MIB)).isEqualTo(2 * MIB);
    assertThat(three.bytesOfUnit(3 * BLOCK + 7, BLOCK)).isEqualTo(3 * BLOCK + 7);
    assertThat(three.fields()).containsOnlyKeys("replication").containsEntry("replication", 3);
  }

  @Test
  void groupsHaveABlockOnEachDataNode() {
    Redundancy coded = Redundancy.coded("RS-6-3-1024k");
    assertThat(coded).hasToString("RS-6-3-1024k");
    assertThat(coded.isCoded()).isTrue();
    assertThat(coded.units()).isEqualTo(9);
    assertThat(coded.replication()).isEqualTo(1);
    assertThat(coded.stored()).isEqualTo(1.5);
    assertThat(coded.groups(6 * BLOCK, BLOCK)).isEqualTo(1);
    assertThat(coded.groups(6 * BLOCK + 1, BLOCK)).isEqualTo(2);
    assertThat(coded.fittingBlock(6 * MIB + 1, MIB)).isEqualTo(2 * MIB);
    assertThat(coded.fields())
        .containsEntry("policy", "RS-6-3-1024k")
        .containsEntry("data_units", 6)
        .containsEntry("parity_units", 3)
        .doesNotContainKey("replication");
  }

  /** A group's first block, and with it parity, is the longest. */
  @ParameterizedTest
  @CsvSource({
    "1000, 1000",
    "1048576, 1048576",
    "1048577, 1048576",
    "6291457, 1048577",
    "805306368, 134217728",
    "806354944, 135266304",
  })
  void aDataNodeHasAsMuchOfAFileAsTheLongestBlocks(long bytes, long ofUnit) {
    assertThat(Redundancy.coded("RS-6-3-1024k").bytesOfUnit(bytes, BLOCK)).isEqualTo(ofUnit);
  }

  @ParameterizedTest
  @CsvSource({"XOR-2-1-1024k, 3", "RS-3-2-1024k, 5", "RS-10-4-1024k, 14"})
  void anyPolicyOfHdfsCanBe(String name, int units) {
    assertThat(Redundancy.coded(name).units()).isEqualTo(units);
  }

  @Test
  void whatHdfsDoesNotHaveIsRefused() {
    assertThatThrownBy(() -> Redundancy.coded("RS-7-2"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--policy RS-7-2: take ")
        .hasMessageContaining("RS-3-2-1024k");
    assertThatThrownBy(() -> Redundancy.replicas(7)).hasMessageContaining("--replication 7");
  }
}
