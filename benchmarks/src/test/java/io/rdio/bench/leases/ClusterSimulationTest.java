// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.leases.ClusterSimulation.Phase;
import io.rdio.bench.leases.ClusterSimulation.Second;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Small clusters with one DataNode and one host in full. What is counted are steps, not times. */
class ClusterSimulationTest {
  private static final int MAPS = 20;

  private static ClusterLoad load(int dataNodes, int clients, double changes, double deletions) {
    long grantNanos = TimeUnit.MILLISECONDS.toNanos(5);
    return new ClusterLoad(
        dataNodes, clients, 2_000, MAPS, changes, deletions, 1, 1, 1, grantNanos);
  }

  private static Second last(Phase phase) {
    return phase.seconds().get(phase.seconds().size() - 1);
  }

  @Test
  void allHaveTheirMapsAndKeepThem() throws IOException {
    try (ClusterSimulation cluster = new ClusterSimulation(load(8, 20, 0, 0))) {
      Phase coming = cluster.come();
      assertThat(last(coming).missing()).isZero();
      assertThat(last(coming).leases()).isEqualTo(20 * MAPS);
      assertThat(last(coming).maps()).isEqualTo(8 * MAPS);
      assertThat(coming.sum(Second::loads)).isEqualTo(8 * MAPS);

      Phase steady = cluster.goOn(120);
      assertThat(last(steady).leases()).isEqualTo(20 * MAPS);
      assertThat(last(steady).maps()).isEqualTo(8 * MAPS);
      assertThat(steady.sum(Second::loads)).isZero();
      assertThat(steady.dataNodes().of("Grant")).isEqualTo(Cost.NONE);
      // Looked at each ten seconds, renewed from half of a minute on.
      assertThat(steady.dataNodes().of("Renew").units()).isBetween(2L * 20 * MAPS, 4L * 20 * MAPS);
      assertThat(steady.hosts().of("Renew").units()).isBetween(2L * 8 * MAPS, 4L * 8 * MAPS);
      assertThat(steady.hosts().of("Renew").bytes()).isPositive();
      assertThat(cluster.lost()).isZero();
      assertThat(cluster.refusals()).isZero();
    }
  }

  @Test
  void nobodyAsksANameNode() throws IOException {
    try (ClusterSimulation cluster = new ClusterSimulation(load(4, 10, 10, 1))) {
      cluster.come();
      cluster.goOn(30);
      cluster.storm();
      assertThat(cluster.locatorQuestions()).isPositive();
      assertThat(cluster.nameNodeCalls()).isZero();
    }
  }

  @Test
  void changesAreGrantedAndWhatTheyReplaceIsReturned() throws IOException {
    try (ClusterSimulation cluster = new ClusterSimulation(load(4, 20, 20, 0))) {
      cluster.come();
      Phase steady = cluster.goOn(60);
      assertThat(steady.dataNodes().of("Grant").units()).isBetween(800L, 1_500L);
      assertThat(steady.dataNodes().of("Return").units()).isBetween(800L, 1_500L);
      assertThat(steady.sum(Second::loads)).isPositive();
      assertThat(cluster.lost()).isZero();
    }
  }

  @Test
  void deletedBlocksAreRecalledAndReturned() throws IOException {
    try (ClusterSimulation cluster = new ClusterSimulation(load(4, 20, 0, 1))) {
      cluster.come();
      Phase steady = cluster.goOn(30);
      long recalls = steady.dataNodes().of("recall").units();
      assertThat(recalls).isPositive();
      assertThat(steady.dataNodes().of("Return").units()).isBetween(1L, recalls);
      assertThat(cluster.lost()).isZero();
    }
  }

  @Test
  void allComeBackAfterAnOutageAndNotAllAtOnce() throws IOException {
    int clients = 100;
    try (ClusterSimulation cluster = new ClusterSimulation(load(4, clients, 0, 0))) {
      cluster.come();
      Phase storm = cluster.storm();
      assertThat(storm.seconds().get(0).missing()).isGreaterThan(clients * MAPS / 2);
      assertThat(storm.until(clients * MAPS / 2)).isGreaterThan(5);
      assertThat(storm.seconds()).hasSizeLessThan(60);
      assertThat(storm.seconds())
          .allSatisfy(second -> assertThat(second.grants()).isLessThan(clients * MAPS / 4));
      assertThat(last(storm).missing()).isZero();
      assertThat(last(storm).leases()).isEqualTo((long) clients * MAPS);
      // Leases on the other DataNodes were kept all the while.
      assertThat(storm.sum(Second::loads)).isEqualTo(MAPS);
    }
  }

  /** A host that wakes asks its session with each DataNode whether anything is due. */
  @Test
  void stepsOfAHostGrowWithItsDataNodes() throws IOException {
    double few = hostSteps(32);
    assertThat(few).isPositive();
    // Sixteen if it woke for each.
    assertThat(hostSteps(4 * 32) / few).isLessThan(4 * 2.5);
  }

  private static double hostSteps(int dataNodes) throws IOException {
    try (ClusterSimulation cluster = new ClusterSimulation(load(dataNodes, 2, 0, 0))) {
      cluster.come();
      return (double) cluster.goOn(60).hosts().of("tend").calls() * dataNodes;
    }
  }

  @Test
  void callsAndBytesOfADataNodeGrowWithItsClients() throws IOException {
    Cost few = calls(10);
    Cost many = calls(4 * 10);
    assertThat((double) many.calls() / few.calls()).isBetween(4 / 1.3, 4 * 1.3);
    assertThat((double) many.bytes() / few.bytes()).isBetween(4 / 1.3, 4 * 1.3);
  }

  private static Cost calls(int clients) throws IOException {
    try (ClusterSimulation cluster = new ClusterSimulation(load(2, clients, 0, 0))) {
      cluster.come();
      return cluster.goOn(120).dataNodes().of("Renew");
    }
  }
}
