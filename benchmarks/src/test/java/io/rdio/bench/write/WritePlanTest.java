// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.client.Output;
import java.util.List;
import org.junit.jupiter.api.Test;

class WritePlanTest {
  private static final long MIB = 1L << 20;
  private static final long BLOCK = 128 * MIB;

  private static final Redundancy ONE = Redundancy.replicas(1);
  private static final Redundancy THREE = Redundancy.replicas(3);

  static WritePlan plan(List<Long> objects, boolean isFitted, int threads) {
    return new WritePlan(
        List.of(ONE, THREE),
        1024 * MIB,
        List.of(64 << 10),
        objects,
        BLOCK,
        isFitted,
        2048 * MIB,
        MIB,
        threads,
        3,
        1,
        new WarmUp(0, 20));
  }

  @Test
  void streamsShareTheBytesAndComeBeforeObjects() {
    List<Load> loads = plan(List.of(MIB), false, 2).checked().loads();
    assertThat(loads)
        .containsExactly(
            new Load(true, ONE, new Output(512 * MIB, 64 << 10, BLOCK, 1), 2),
            new Load(false, ONE, new Output(MIB, 1 << 20, BLOCK, 1), 8),
            new Load(true, THREE, new Output(512 * MIB, 64 << 10, BLOCK, 3), 2),
            new Load(false, THREE, new Output(MIB, 1 << 20, BLOCK, 3), 8));
    assertThat(loads.get(0)).hasToString("× 1, arrays of 64 KiB");
    assertThat(loads.get(3)).hasToString("× 3, 1 MiB");
  }

  @Test
  void noPassTakesMoreSlotsThanAPoolHas() {
    assertThat(plan(List.of(1024 * MIB, 300 * MIB, 16 * MIB), false, 1).checked().loads())
        .filteredOn(load -> !load.isStream() && load.output().replication() == 3)
        .extracting(Load::files)
        .containsExactly(1, 2, 8);
  }

  @Test
  void whatIsSmallTakesNone() {
    WritePlan plan = plan(List.of(32L << 10), false, 1).checked();
    assertThat(plan.loads().get(1).files()).isEqualTo(500);
    assertThat(plan.largestPassBytes()).isEqualTo(1024 * MIB);
  }

  @Test
  void fittedObjectsHaveWholeMebibytesAtMostABlock() {
    assertThat(plan(List.of(MIB + 1, 300 * MIB), true, 1).checked().loads())
        .filteredOn(load -> !load.isStream())
        .extracting(load -> load.output().blockBytes())
        .containsExactly(2 * MIB, BLOCK, 2 * MIB, BLOCK);
  }

  /** With pools as small as may be. */
  static WritePlan coded(String policy, List<Long> objects, int threads) {
    WritePlan unsized =
        new WritePlan(
            List.of(Redundancy.coded(policy)),
            1024 * MIB,
            List.of(64 << 10),
            objects,
            BLOCK,
            false,
            MIB,
            MIB,
            threads,
            3,
            1,
            new WarmUp(0, 20));
    return unsized.withLeastPool().checked();
  }

  @Test
  void poolOfCodedFilesHasWhatTheLargestOnesTake() {
    assertThat(coded("RS-6-3-1024k", List.of(), 1).poolBytes()).as("2 groups").isEqualTo(4 * BLOCK);
    assertThat(coded("RS-3-2-1024k", List.of(), 1).poolBytes()).as("3 groups").isEqualTo(6 * BLOCK);
    assertThat(coded("RS-10-4-1024k", List.of(), 1).poolBytes()).as("1 group").isEqualTo(512 * MIB);
    assertThat(coded("RS-6-3-1024k", List.of(2048 * MIB), 2).poolBytes())
        .as("3 groups of each thread")
        .isEqualTo(12 * BLOCK);
  }

  @Test
  void warmsUpWithSmallFilesThatAllDataNodesHaveABlockOf() {
    assertThat(plan(List.of(), false, 1).warmUpLoad())
        .isEqualTo(new Load(false, THREE, new Output(MIB, 1 << 20, MIB, 3), 16));
    assertThat(coded("RS-6-3-1024k", List.of(), 20).warmUpLoad())
        .as("full groups, and a file for each thread")
        .isEqualTo(new Load(false, coded(), new Output(6 * MIB, 1 << 20, MIB, 1), 20));
  }

  @Test
  void filesThatWarmUpAreNotStockHdfss() {
    Load load = withSmall(3 * MIB + 1, 512 * MIB).warmUpLoad();
    assertThat(load.output()).isEqualTo(new Output(4 * MIB, 1 << 20, 4 * MIB, 1));
    assertThat(load.files()).as("as fewer slots hold them").isEqualTo(8);
    assertThat(withSmall(0, 16 * MIB).warmUpLoad().files()).isEqualTo(1);
  }

  private static WritePlan withSmall(long smallBytes, long poolBytes) {
    return new WritePlan(
        List.of(ONE),
        1024 * MIB,
        List.of(64 << 10),
        List.of(),
        BLOCK,
        false,
        poolBytes,
        smallBytes,
        1,
        3,
        1,
        new WarmUp(0, 20));
  }

  @Test
  void codedFilesAreOfOneReplicaAndTakeASlotForEachGroup() {
    WritePlan plan = coded("RS-6-3-1024k", List.of(6 * MIB, 1024 * MIB), 1);
    assertThat(plan.loads())
        .containsExactly(
            new Load(true, coded(), new Output(1024 * MIB, 64 << 10, BLOCK, 1), 1),
            new Load(false, coded(), new Output(6 * MIB, 1 << 20, BLOCK, 1), 2),
            new Load(false, coded(), new Output(1024 * MIB, 1 << 20, BLOCK, 1), 1));
    assertThat(plan.loads().get(1)).hasToString("RS-6-3-1024k, 6 MiB");
    assertThat(plan.dataNodes()).isEqualTo(9);
    // 128 MiB of a full group, and of the other 256 MiB 43 cells.
    assertThat(plan.largestPassBytes()).isEqualTo((128 + 43) * MIB);
  }

  private static Redundancy coded() {
    return Redundancy.coded("RS-6-3-1024k");
  }
}
