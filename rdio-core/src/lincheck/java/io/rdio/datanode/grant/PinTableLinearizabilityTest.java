// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Lincheck: whatever clients, recalls and the background that unlinks do at a time on one block has
 * an outcome that {@link SequentialPins} gives too, in some order of theirs. Each thread is a
 * client with at most one lease.
 */
@Param(name = "client", gen = ThreadIdGen.class)
@Tag("lincheck")
public class PinTableLinearizabilityTest {
  private static final int CLIENTS = 8;

  private final LeaseRaces.Table pins = new LeaseRaces.Table() {};
  private final long[] leases = new long[CLIENTS];
  private final Queue<Pin> toUnlink = new ArrayDeque<>();
  private final Object claim = new Object();

  public PinTableLinearizabilityTest() {
    giveBackTo(LeaseRaces.Table.A.clientId(), pins.lease);
    unlink();
  }

  private static Demand demand(int client) {
    return LeaseRaces.Table.demand(new Holder("client " + client, "10.0.0.1"));
  }

  @Operation
  public String grant(@Param(name = "client") int client) throws FallbackException {
    if (leases[client] != 0) {
      return "has one";
    }
    synchronized (claim) { // one request pins a block at a time
      try {
        pins.table.admit("10.0.0.1", LeaseRaces.Table.BLOCK, 0);
        GrantResult.Granted shared = pins.table.share(demand(client));
        if (shared != null) {
          leases[client] = shared.leaseId();
          return "shared";
        }
        if (!pins.table.reserve(pins.volume, demand(client))) {
          return "full";
        }
        leases[client] = pins.table.insert(pins.pin(), demand(client)).leaseId();
        return "pinned";
      } catch (FallbackException e) {
        if (e.reason() != FallbackReason.RECALL_PENDING) {
          throw e;
        }
        return "refused";
      }
    }
  }

  /** Whether it was the last lease. */
  @Operation
  public boolean giveBack(@Param(name = "client") int client) {
    long lease = leases[client];
    leases[client] = 0;
    return giveBackTo("client " + client, lease);
  }

  private boolean giveBackTo(String clientId, long lease) {
    synchronized (toUnlink) { // with the hand-over to the background
      var free = pins.table.giveBack(clientId, new long[] {lease});
      toUnlink.addAll(free);
      return !free.isEmpty();
    }
  }

  @Operation
  public boolean renew(@Param(name = "client") int client) {
    return pins.table.renew("client " + client, new long[] {leases[client]})[0] > 0;
  }

  /** How many holders are told. */
  @Operation
  public int recall() {
    Pin pin = pins.table.pin(LeaseRaces.Table.BLOCK);
    return pin == null ? 0 : pins.table.recall(pin, true).size();
  }

  @Operation
  public void unlink() {
    synchronized (toUnlink) {
      Pin pin = toUnlink.poll();
      if (pin != null) {
        pins.table.unpinned(pin);
      }
    }
  }

  /** With nothing on its way in: what is only reserved counts too, which recalls do not see. */
  @Operation
  public int pinned() {
    synchronized (claim) {
      return pins.table.status(pins.volume).pins();
    }
  }

  @Test
  void everyOutcomeIsThatOfSomeOrder() {
    new StressOptions()
        .iterations(25)
        .invocationsPerIteration(1000)
        .threads(3)
        .actorsPerThread(4)
        .sequentialSpecification(SequentialPins.class)
        .check(PinTableLinearizabilityTest.class);
  }
}
