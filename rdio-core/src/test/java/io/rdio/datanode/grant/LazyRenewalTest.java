// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A renewal only writes the new end: what comes of that when leases and pins have their turn. */
final class LazyRenewalTest {
  private static final long TERM = TimeUnit.SECONDS.toNanos(10);
  private static final long BUCKET = TERM / 100;

  // More than are looked at under one lock.
  private static final int MANY = 2_500;

  private final Volume volume = TestPins.volume();
  private long now = -TERM / 2; // as a clock may that began anywhere

  private LeaseTable table(int places) {
    GrantConfig config =
        GrantConfig.builder()
            .leaseMillis(TimeUnit.NANOSECONDS.toMillis(TERM))
            .maxIoMillis(0)
            .pinsPerVolume(places)
            .build();
    return new LeaseTable(config, () -> now);
  }

  private static Demand demand(String client, long block, boolean speculative) {
    return new Demand(GrantFixture.holder(client), new BlockKey("BP-1", block, 1), speculative);
  }

  private long lease(LeaseTable table, Demand demand) throws FallbackException {
    assertThat(table.reserve(volume, demand)).isTrue();
    return table.insert(TestPins.pin(demand.block(), 100, volume), demand).leaseId();
  }

  private List<Long> leases(LeaseTable table, int count, boolean speculative)
      throws FallbackException {
    List<Long> leases = new ArrayList<>();
    for (int block = 0; block < count; block++) {
      leases.add(lease(table, demand("a", block, speculative)));
    }
    return leases;
  }

  private static void renew(LeaseTable table, List<Long> leases) {
    long[] ids = leases.stream().mapToLong(id -> id).toArray();
    assertThat(table.renew("a", ids)).doesNotContain(0).hasSize(leases.size());
  }

  private static List<Long> recalledFor(LeaseTable table, Volume volume, Demand demand) {
    return table.makeRoom(volume, demand).told().stream().map(lease -> lease.id).toList();
  }

  @Test
  void leasesRenewedInAnyOrderEndAtTheirTimeAndNoMoreThanABucketLate() throws FallbackException {
    LeaseTable table = table(MANY);
    Random random = new Random(14);
    Map<BlockKey, Long> ends = new HashMap<>();
    List<Long> leases = new ArrayList<>();
    for (int block = 0; block < 500; block++) {
      now += random.nextInt((int) BUCKET / 10);
      Demand demand = demand("a", block, false);
      leases.add(lease(table, demand));
      ends.put(demand.block(), now + TERM);
    }
    for (int step = 0; step < 3_000; step++) {
      now += random.nextInt((int) BUCKET);
      int block = random.nextInt(leases.size());
      BlockKey key = new BlockKey("BP-1", block, 1);
      if (step < 2_500 && table.renew("a", new long[] {leases.get(block)})[0] > 0) {
        ends.put(key, now + TERM);
      }
      for (Pin pin : table.expire()) {
        assertThat(ends.remove(pin.block())).isLessThan(now);
        table.unpinned(pin);
      }
      assertThat(ends.values()).allMatch(end -> end >= now - BUCKET - 1);
      assertThat(table.leaseCount()).isEqualTo(ends.size());
    }
    now += 2 * TERM;
    assertThat(table.expire()).hasSize(ends.size());
    assertThat(table.leaseCount()).isZero();
  }

  @Test
  void manyLeasesThatWereAllRenewedStay() throws FallbackException {
    LeaseTable table = table(MANY);
    List<Long> leases = leases(table, MANY, false);
    now += TERM - 1;
    renew(table, leases);

    now += 2; // behind the end of their first term
    assertThat(table.expire()).isEmpty();
    now += TERM;
    assertThat(table.expire()).hasSize(MANY);
  }

  @Test
  void leaseThatWasGivenBackLeavesNothingInTheWayOfOthers() throws FallbackException {
    LeaseTable table = table(MANY);
    long first = lease(table, demand("a", 1, false));
    now += BUCKET * 3;
    lease(table, demand("a", 2, false));
    assertThat(table.giveBack("a", new long[] {first})).hasSize(1);

    now += TERM + 1;
    assertThat(table.expire()).hasSize(1);
  }

  @Test
  void unusedPinGoesBehindManyThatWereRenewed() throws FallbackException {
    LeaseTable table = table(MANY);
    List<Long> leases = leases(table, MANY, false);
    renew(table, leases.subList(0, MANY - 1));

    assertThat(recalledFor(table, volume, demand("b", MANY, false)))
        .containsExactly(leases.get(MANY - 1));
    assertThat(recalledFor(table, volume, demand("b", MANY + 1, false)))
        .as("their second chance is over, and they have their turn in order")
        .containsExactly(leases.get(0));
  }

  @Test
  void ofManyThatWereAllUsedTheFirstGoes() throws FallbackException {
    LeaseTable table = table(MANY);
    List<Long> leases = leases(table, MANY, false);
    renew(table, leases);

    assertThat(recalledFor(table, volume, demand("b", MANY, false))).containsExactly(leases.get(0));
  }

  @Test
  void speculativePinsThatWereReadAreSpeculativeNoLonger() throws FallbackException {
    LeaseTable table = table(4);
    List<Long> leases = leases(table, 3, true);
    long ordinary = lease(table, demand("a", 3, false));
    renew(table, leases.subList(0, 2));
    table.share(demand("c", 1, true)); // asking ahead once more is no use

    assertThat(recalledFor(table, volume, demand("b", 4, false))).containsExactly(leases.get(2));
    assertThat(recalledFor(table, volume, demand("b", 5, false))).containsExactly(ordinary);
  }
}
