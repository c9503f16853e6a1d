// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.datanode.grant.GrantService.RecallSink;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Asks leases back. Nothing waits for the answer: a holder that cannot be told finds out when it
 * renews, and the pin outlives its lease in any case. Thread-safe.
 */
final class Recalls {
  private final LeaseTable table;
  private final GrantCounters counters;
  private final ConcurrentHashMap<String, RecallSink> sinks = new ConcurrentHashMap<>();

  Recalls(LeaseTable table, GrantCounters counters) {
    this.table = table;
    this.counters = counters;
  }

  /** Sends a client's recalls here from now on, first those that are still unanswered. */
  void subscribe(String clientId, RecallSink sink) {
    sinks.put(clientId, sink);
    long[] unanswered = table.recalledLeases(clientId);
    if (unanswered.length > 0) {
      sink.recall(unanswered);
    }
  }

  void unsubscribe(String clientId, RecallSink sink) {
    sinks.remove(clientId, sink);
  }

  /** Recalls every lease on a pin; without effect if that was done before. */
  void recall(Pin pin, boolean deleted) {
    tell(table.recall(pin, deleted));
  }

  /**
   * Recalls a pin for an asker that found no room on a volume, if it is due one.
   *
   * @return whether a place is kept for it
   */
  boolean makeRoom(Volume volume, Demand demand) {
    LeaseTable.Room room = table.makeRoom(volume, demand);
    tell(room.told());
    return room.place();
  }

  private void tell(List<HeldLease> recalled) {
    Map<String, List<HeldLease>> byClient =
        recalled.stream().collect(Collectors.groupingBy(HeldLease::clientId));
    // A holder whom it fails to tell keeps no other one from being told.
    byClient.forEach(
        (clientId, leases) ->
            counters.survive("telling a holder of a recall", () -> tell(clientId, leases)));
  }

  private void tell(String clientId, List<HeldLease> leases) {
    counters.recalled(leases.size());
    RecallSink sink = sinks.get(clientId);
    if (sink != null) {
      sink.recall(leases.stream().mapToLong(lease -> lease.id).toArray());
    }
  }
}
