// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.leases.ScaleSimulation.Load;
import io.rdio.bench.leases.ScaleSimulation.Work;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ScaleSimulationTest {
  private static final int CLIENTS = 20;
  private static final int MAPS = 7;

  private static ScaleSimulation simulation(int changes, int deletions) throws IOException {
    return new ScaleSimulation(new Load(CLIENTS, 1000, MAPS, changes, deletions));
  }

  @Test
  void eachLeaseIsRenewedTwiceATermAndNoneIsLost() throws IOException {
    try (ScaleSimulation one = simulation(0, 0)) {
      assertThat(one.fill().count()).isEqualTo(CLIENTS * MAPS);
      one.goOn(120);
      assertThat(one.renewals().count()).isEqualTo(4L * CLIENTS * MAPS);
      assertThat(one.renewalBytes()).isGreaterThan(one.renewals().count());
      assertThat(one.lost()).isZero();
      assertThat(one.leases()).isEqualTo(CLIENTS * MAPS);
      assertThat(one.upkeep().count()).isEqualTo(120);
    }
  }

  @Test
  void changesLeaveAsManyLeasesAsThereWere() throws IOException {
    try (ScaleSimulation one = simulation(5, 0)) {
      one.fill();
      one.goOn(10);
      assertThat(one.grants().count()).isEqualTo(CLIENTS * MAPS + 50);
      assertThat(one.returns().count()).isEqualTo(50);
      assertThat(one.leases()).isEqualTo(CLIENTS * MAPS);
    }
  }

  @Test
  void deletedBlocksAreRecalledAndReturned() throws IOException {
    try (ScaleSimulation one = simulation(0, 1)) {
      one.fill();
      one.goOn(5);
      assertThat(one.recalls().count()).isPositive().isEqualTo(one.returns().count());
      assertThat(one.leases()).isEqualTo(CLIENTS * MAPS - (int) one.recalls().count());
      one.goOn(60);
      assertThat(one.lost()).isZero();
    }
  }

  @Test
  void allComeBackBehindAnOutage() throws IOException {
    try (ScaleSimulation one = simulation(0, 0)) {
      one.fill();
      Work storm = one.storm();
      assertThat(storm.count()).isEqualTo(CLIENTS * MAPS);
      assertThat(one.leases()).isEqualTo(CLIENTS * MAPS);
      one.goOn(60);
      assertThat(one.lost()).isZero();
    }
  }
}
