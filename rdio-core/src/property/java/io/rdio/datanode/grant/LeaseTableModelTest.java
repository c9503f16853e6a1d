// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.datanode.grant.NaiveLeases.NaiveLease;
import io.rdio.datanode.grant.NaiveLeases.NaivePin;
import io.rdio.datanode.grant.NaiveLeases.NaivePromise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The lease table does what {@link NaiveLeases} does, and its running sums are the sums. */
final class LeaseTableModelTest {
  private static final int PLACES = 5;
  private static final int BLOCKS = 12;
  private static final long LEASE_MILLIS = 10_000;
  private static final long IO_MILLIS = 2_000;

  // Leases that run out at different times within a bucket may go late; ExpiryQueueTest has those.
  private static final long LEASE_BUCKET_MILLIS = LEASE_MILLIS / 100;

  @Property(tries = 300)
  void everySequenceOfCallsIsAnsweredAsByTheModel(@ForAll long seed) throws FallbackException {
    new Run(new Random(seed)).steps(150);
  }

  private static final class Run {
    private final Random random;
    private long now;
    private final LeaseTable table =
        new LeaseTable(
            GrantConfig.builder()
                .leaseMillis(LEASE_MILLIS)
                .maxIoMillis(IO_MILLIS)
                .pinsPerVolume(PLACES)
                .build(),
            () -> now);
    private final Volume volume = TestPins.volume();
    private final NaiveLeases model = new NaiveLeases(PLACES);
    private final Queue<Pin> unlinking = new ArrayDeque<>();

    Run(Random random) {
      this.random = random;
    }

    void steps(int count) throws FallbackException {
      for (int i = 0; i < count; i++) {
        switch (random.nextInt(10)) {
          case 0, 1, 2, 3 -> grant();
          case 4 -> renew();
          case 5 -> giveBack();
          case 6 -> recall();
          case 7 -> unlink();
          case 8 -> reserveInVain();
          default -> pass();
        }
        check();
      }
    }

    private Demand demand() {
      int client = random.nextInt(4);
      Holder holder = new Holder("client" + client, "10.0.0." + client / 2 + random.nextInt(2));
      BlockKey block = new BlockKey("BP-1", random.nextInt(BLOCKS), 1);
      return new Demand(holder, block, random.nextInt(4) == 0);
    }

    private boolean barred(BlockKey block) {
      return model.pins.stream().anyMatch(pin -> pin.recalled && pin.pin.block().equals(block));
    }

    private void grant() throws FallbackException {
      Demand demand = demand();
      if (barred(demand.block())) {
        return;
      }
      GrantResult.Granted shared = table.share(demand);
      Pin pin = table.pin(demand.block());
      assertThat(shared != null).isEqualTo(pin != null);
      if (shared != null) {
        if (!demand.speculative()) {
          model.of(pin).used = true;
        }
        lease(shared.leaseId(), demand, pin);
        return;
      }
      boolean place = table.reserve(volume, demand);
      assertThat(place).isEqualTo(model.take(demand, now));
      if (place) {
        Pin made = TestPins.pin(demand.block(), 100 + random.nextInt(100), volume);
        model.add(made, demand);
        lease(table.insert(made, demand).leaseId(), demand, made);
      } else {
        makeRoom(demand);
      }
    }

    private void lease(long id, Demand demand, Pin pin) {
      model.leases.add(new NaiveLease(id, demand.holder(), pin, now + LEASE_MILLIS * 1_000_000));
    }

    private void makeRoom(Demand demand) {
      boolean again =
          model.promisesTo(demand.address()).stream()
              .anyMatch(promise -> promise.block().equals(demand.block()));
      NaivePin victim = again || model.unpromised() > 0 ? null : model.victim(demand);
      boolean hope = again || model.unpromised() > 0 || victim != null;

      LeaseTable.Room room = table.makeRoom(volume, demand);

      assertThat(room.place()).isEqualTo(hope);
      if (hope && !again) {
        long wait = 2 * LEASE_MILLIS + IO_MILLIS;
        model.promises.add(
            new NaivePromise(demand.address(), demand.block(), now + wait * 1_000_000));
      }
      assertThat(room.told().stream().map(lease -> lease.id))
          .containsExactlyElementsOf(
              victim == null ? List.of() : model.on(victim.pin).stream().map(l -> l.id).toList());
      if (victim != null) {
        victim.recalled = true;
      }
    }

    private void renew() {
      if (model.leases.isEmpty()) {
        return;
      }
      NaiveLease lease = model.leases.get(random.nextInt(model.leases.size()));
      NaivePin pin = model.of(lease.pin);
      boolean hers = random.nextInt(5) > 0;
      boolean renewed = hers && !pin.recalled && lease.expiry - now > 0;

      String client = hers ? lease.holder.clientId() : "stranger";
      long term = table.renew(client, new long[] {lease.id})[0];

      assertThat(term).isEqualTo(renewed ? LEASE_MILLIS : 0);
      if (renewed) {
        lease.expiry = now + LEASE_MILLIS * 1_000_000;
        pin.used = true;
      }
    }

    private void giveBack() {
      if (!model.leases.isEmpty()) {
        NaiveLease lease = model.leases.get(random.nextInt(model.leases.size()));
        List<Pin> free = table.giveBack(lease.holder.clientId(), new long[] {lease.id, 1});
        assertThat(free).hasSize(model.end(lease) ? 1 : 0);
        unlinking.addAll(free);
      }
    }

    private void recall() {
      if (model.pins.isEmpty()) {
        return;
      }
      NaivePin pin = model.pins.get(random.nextInt(model.pins.size()));
      boolean deleted = random.nextBoolean();
      int told = pin.live() ? model.on(pin.pin).size() : 0;

      assertThat(table.recall(pin.pin, deleted)).hasSize(told);

      if (!pin.released) {
        pin.recalled = true;
        pin.deleted |= deleted;
      }
    }

    private void unlink() {
      Pin pin = unlinking.poll();
      if (pin != null) {
        table.unpinned(pin);
        model.pins.remove(model.of(pin));
      }
    }

    private void reserveInVain() throws FallbackException {
      Demand demand = demand();
      boolean place = table.reserve(volume, demand);
      assertThat(place).isEqualTo(model.take(demand, now));
      if (place) {
        table.unreserve(volume, demand);
      }
    }

    private void pass() {
      now += random.nextInt(60) * LEASE_BUCKET_MILLIS * 1_000_000;
      List<Pin> freed = new ArrayList<>();
      boolean left = false;
      for (NaiveLease lease : List.copyOf(model.leases)) {
        if (lease.expiry + IO_MILLIS * 1_000_000 - now < 0) {
          if (model.end(lease)) {
            freed.add(lease.pin);
          } else {
            left = true;
          }
        }
      }
      List<Pin> free = table.expire();
      assertThat(free).containsExactlyInAnyOrderElementsOf(freed);
      if (left) {
        // In which order they ran out is the queue's affair; so it is which pins changed the payer
        // on the way, and went behind all others.
        model.takeTurns(volume.account().livePins());
      }
      unlinking.addAll(free);
    }

    private void check() {
      assertThat(model.unpromised()).isNotNegative();
      assertThat(table.leaseCount()).isEqualTo(model.leases.size());
      VolumeStatus status = table.status(volume);
      assertThat(status.pins()).isEqualTo(model.pins.size());
      assertThat(status.pinnedBytes())
          .isEqualTo(model.pins.stream().mapToLong(pin -> pin.pin.bytes()).sum());
      assertThat(status.pinnedDeletedBytes())
          .isEqualTo(
              model.pins.stream()
                  .filter(pin -> pin.deleted)
                  .mapToLong(pin -> pin.pin.bytes())
                  .sum());
      assertThat(table.nextPins(0, 1_000).stream().map(place -> place.pin))
          .containsExactlyElementsOf(
              model.pins.stream()
                  .filter(pin -> !pin.deleted && !pin.released)
                  .map(pin -> pin.pin)
                  .toList());
      assertThat(table.list(0, 1_000)).hasSize(model.leases.size());
      assertThat(table.heapBytes()).isEqualTo(heapBytes());
      for (int client = 0; client < 4; client++) {
        String id = "client" + client;
        assertThat(table.recalledLeases(id))
            .containsExactlyInAnyOrder(
                model.leases.stream()
                    .filter(x -> x.holder.clientId().equals(id) && model.of(x.pin).recalled)
                    .mapToLong(x -> x.id)
                    .toArray());
      }
    }

    private long heapBytes() {
      long clients = model.leases.stream().map(lease -> lease.holder.clientId()).distinct().count();
      return (long) model.leases.size() * HeapBytes.LEASE
          + model.pins.stream().mapToLong(pin -> pin.pin.heapBytes()).sum()
          + clients * HeapBytes.client("client0");
    }
  }
}
