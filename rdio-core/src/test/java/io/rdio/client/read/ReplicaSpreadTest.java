// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceBacklog;
import io.rdio.core.testing.FakeMaps;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.MemoryDevice;
import io.rdio.core.testing.TestBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The choice between replicas, on devices that take as long as they are told. */
final class ReplicaSpreadTest {
  private static final int WINDOW = 512 << 10;
  private static final int CHOICES = 10_000;
  private static final long MILLI = 1_000_000;

  private final TestBlock block =
      new TestBlock(1, 1 << 20, ChecksumSpec.Type.CRC32C, 512, 4096, 1 << 20);
  private final ManualClock clock = new ManualClock();
  private final Random random = new Random(1);
  private final ReplicaSpread.Visits visits = new ReplicaSpread.Visits();
  private final ReplicaSpread spread = new ReplicaSpread(visits, random::nextInt);
  private final List<MappedReplica> replicas = new ArrayList<>();
  private final long[] chosen = new long[3];

  @BeforeEach
  void placeReplicas() throws FallbackException {
    for (int i = 0; i < chosen.length; i++) {
      FileMap map = block.map(lease(i));
      replicas.add(
          MappedReplica.of(
              map,
              new FakeMaps(clock),
              new MemoryDevice(block.image, 512),
              true,
              map.blockLength(),
              1 << 20));
    }
    spread.over(new MappedReplica[] {replicas.get(1), replicas.get(2)});
  }

  private Lease lease(int id) {
    long now = clock.nanos();
    return new Lease(id + 1, 1, now, now + TestBlock.LEASE.toNanos());
  }

  private DeviceBacklog backlog(int replica) {
    return replicas.get(replica).device().backlog();
  }

  private void takes(int replica, long nanos) {
    DeviceBacklog backlog = backlog(replica);
    for (int i = 0; i < 200; i++) {
      backlog.ended(WINDOW, backlog.begin(WINDOW), nanos);
    }
  }

  private int choose() {
    int choice = replicas.indexOf(spread.choose(replicas.get(0), WINDOW, clock.nanos()));
    chosen[choice]++;
    return choice;
  }

  @Test
  void aloneThereIsNoChoice() {
    spread.clear();
    assertThat(spread.choose(replicas.get(0), WINDOW, clock.nanos())).isSameAs(replicas.get(0));
  }

  @Test
  void theOneThatIsFasterIsUsedAndTheOthersAreVisited() {
    takes(0, 4 * MILLI);
    takes(1, MILLI);
    takes(2, 8 * MILLI);
    for (int i = 0; i < CHOICES; i++) {
      choose();
    }
    assertThat(chosen[1]).isGreaterThan(CHOICES * 95 / 100);
    assertThat(chosen[0]).isPositive();
    assertThat(chosen[2]).isPositive();
    double visiting = chosen[0] * 4.0 + chosen[2] * 8.0;
    assertThat(visiting).as("ms").isLessThan(CHOICES / 50.0 + 12);
  }

  /** What is begun at once lies evenly on devices of the same speed, by their speed else. */
  @Test
  void whatIsUnderWayLiesBySpeed() {
    takes(0, MILLI);
    takes(1, MILLI);
    takes(2, 2 * MILLI);
    for (int i = 0; i < 50; i++) {
      backlog(choose()).begin(WINDOW);
    }
    assertThat(chosen[0]).isBetween(17L, 23L);
    assertThat(chosen[1]).isBetween(17L, 23L);
    assertThat(chosen[2]).isBetween(8L, 12L);
  }

  @Test
  void littleDifferenceIsNoReasonToChange() {
    takes(0, 100 * MILLI);
    takes(1, 98 * MILLI);
    takes(2, 98 * MILLI);
    choose(); // a visit
    int first = choose();
    int changes = 0;
    for (int i = 0; i < 60; i++) {
      changes += choose() == first ? 0 : 1;
    }
    assertThat(changes).isLessThanOrEqualTo(1); // another one
  }

  @Test
  void aDeviceThatNothingIsKnownOfIsTriedAtOnce() {
    takes(0, MILLI);
    for (int i = 0; i < 20; i++) {
      int choice = choose();
      if (choice != 0) {
        takes(choice, 2 * MILLI);
      }
    }
    assertThat(chosen[1]).isPositive();
    assertThat(chosen[2]).isPositive();
  }

  @Test
  void whatHasLostItsLeaseIsNotChosen() {
    for (int i = 0; i < 3; i++) {
      takes(i, MILLI);
    }
    Lease.of(replicas.get(1).map()).end();
    Lease.of(replicas.get(2).map()).end();
    for (int i = 0; i < 200; i++) {
      assertThat(choose()).isZero();
    }
  }
}
