// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.block.BlockKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.GraphLayout;

/** What the leases and pins of a whole DataNode may take, however many addresses ask. */
final class DataNodeBoundsTest {
  private static final int MANY = 8_000;

  /** Of which the heap is walked: enough that what is there once counts for nothing. */
  private static final int MEASURED = 2_000;

  private final Volume volume = TestPins.volume();
  private long lastBlock;
  private long now;

  private LeaseTable table(GrantConfig.Builder config) {
    return new LeaseTable(config.build(), () -> now);
  }

  /** Names that are this request's own, as those that come off the wire are. */
  private Demand demand(String client, String address, long block) {
    Holder holder = new Holder(new String(client), new String(address));
    return new Demand(holder, new BlockKey(new String("BP-1-127.0.0.1-1"), block, 1001), false);
  }

  private long pin(LeaseTable table, String client, String address) throws FallbackException {
    Demand demand = demand(client, address, ++lastBlock);
    table.admit(address, demand.block(), 0);
    assertThat(table.reserve(volume, demand)).isTrue();
    return table.insert(TestPins.pin(demand.block(), 100, volume), demand).leaseId();
  }

  private String refusal(LeaseTable table, String address) {
    try {
      pin(table, "late", address);
      throw new AssertionError(address + " got a lease");
    } catch (FallbackException e) {
      assertThat(e.reason()).isEqualTo(FallbackReason.LEASE_LIMIT);
      return e.detail();
    }
  }

  @Test
  void manyAddressesTogetherGetNoMoreLeasesThanTheDataNodeGives() throws FallbackException {
    LeaseTable table = table(GrantConfig.builder().leasesMax(100));
    List<Long> leases = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      leases.add(pin(table, "c" + i, "10.0.0." + i));
    }

    assertThat(refusal(table, "10.0.1.1")).contains("100").contains(Setting.LEASES_MAX.toString());

    table.giveBack("c7", new long[] {leases.get(7)}).forEach(table::unpinned);
    assertThat(pin(table, "late", "10.0.1.1")).isNotZero();
  }

  @Test
  void lastEighthOfTheLeasesIsForAddressesWithFewerThanTheOthers() throws FallbackException {
    LeaseTable table = table(GrantConfig.builder().leasesMax(80));
    for (int i = 0; i < 70; i++) {
      pin(table, "greedy", "10.0.0.1");
    }

    assertThat(refusal(table, "10.0.0.1")).contains(Setting.LEASES_MAX.toString());
    for (int i = 0; i < 10; i++) {
      assertThat(pin(table, "modest", "10.0.0.2")).isNotZero();
    }
    assertThat(refusal(table, "10.0.0.3")).contains("80 leases of 80");
  }

  @Test
  void leasesAndPinsTakeNoMoreHeapThanTheyMay() throws FallbackException {
    long heapMax = 1 << 20;
    LeaseTable table = table(GrantConfig.builder().heapMax(heapMax));
    int granted = 0;
    String refused = null;
    while (refused == null && granted < MANY) {
      try {
        pin(table, "client with a name of some length " + granted, "10.0.0." + granted);
        granted++;
      } catch (FallbackException e) {
        refused = e.detail();
      }
    }

    assertThat(refused).contains(Setting.LEASES_MEMORY_MAX.toString());
    assertThat(granted).isGreaterThan(100);
    assertThat(table.heapBytes()).isLessThanOrEqualTo(heapMax);
  }

  /** A name may take more of the heap than the lease that brings it. */
  @Test
  void nameOfTheLastClientHasRoomToo() throws FallbackException {
    String longName = "n".repeat(250);
    for (long heapMax = 1 << 14; heapMax < (1 << 14) + HeapBytes.client(longName); heapMax += 96) {
      LeaseTable table = table(GrantConfig.builder().heapMax(heapMax));
      pin(table, "first", "10.0.0.1");
      int clients = 0;
      while (isShared(table, longName + clients)) {
        clients++;
      }
      assertThat(clients).isPositive();
      assertThat(table.heapBytes()).isLessThanOrEqualTo(heapMax);
    }
  }

  private boolean isShared(LeaseTable table, String client) {
    try {
      return table.share(demand(client, client, lastBlock)) != null;
    } catch (FallbackException e) {
      assertThat(e.detail()).contains(Setting.LEASES_MEMORY_MAX.toString());
      return false;
    }
  }

  @Test
  void aLeaseOnASharedPinTakesWhatIsCountedForIt() throws FallbackException {
    LeaseTable table = table(GrantConfig.builder().leasesPerAddress(10 * MEASURED));
    pin(table, "first", "10.0.0.1");
    lease(table, MEASURED);
    long before = GraphLayout.parseInstance(table).totalSize();
    lease(table, MEASURED);
    long each = (GraphLayout.parseInstance(table).totalSize() - before) / MEASURED;

    assertThat(each).isCloseTo(HeapBytes.LEASE, within(HeapBytes.LEASE / 8L));
  }

  private void lease(LeaseTable table, int count) throws FallbackException {
    for (int i = 0; i < count; i++) {
      assertThat(table.share(demand("client", "10.0.0.2", lastBlock))).isNotNull();
    }
  }

  @Test
  void aPinTakesAtMostWhatIsCountedForIt() throws FallbackException {
    LeaseTable table = table(GrantConfig.builder().heapMax(1L << 40));
    pins(table, MEASURED);
    long before = GraphLayout.parseInstance(table).totalSize();
    long counted = table.heapBytes();
    pins(table, MEASURED);
    long each = (GraphLayout.parseInstance(table).totalSize() - before) / MEASURED;
    long countedEach = (table.heapBytes() - counted) / MEASURED;

    assertThat(countedEach).isCloseTo(each, within(each / 8));
  }

  private void pins(LeaseTable table, int count) throws FallbackException {
    for (int i = 0; i < count; i++) {
      pin(table, "client", "10.0.0.2");
    }
  }

  @Test
  void namesAreKeptOnceForAllLeases() throws FallbackException {
    LeaseTable table = table(GrantConfig.builder());
    pins(table, 2);

    Pin one = table.pin(demand("", "", 1).block());
    Pin other = table.pin(demand("", "", 2).block());

    assertThat(one.block().poolId()).isSameAs(other.block().poolId());
    assertThat(one.replica().block()).isSameAs(one.block());
    HeldLease first = one.leases.first();
    HeldLease second = other.leases.first();
    assertThat(first.clientId()).isSameAs(second.clientId());
    assertThat(first.address).isSameAs(second.address);
  }
}
