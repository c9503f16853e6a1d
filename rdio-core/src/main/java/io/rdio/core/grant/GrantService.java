// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.block.BlockKey;
import io.rdio.core.lease.LeaseClock;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * Grants file maps under leases, renews them, takes them back: the DataNode's half of the lease
 * protocol (docs/protocol.md). One incarnation of it lives as long as the plugin; when it ends, the
 * pins stay on disk and the next one honours them. Thread-safe.
 */
public final class GrantService {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int PAGE = 1_000;

  private final GrantConfig config;
  private final ReplicaSource source;
  private final LeaseClock clock;
  private final long incarnation;
  private final GrantCounters counters = new GrantCounters();
  private final LeaseTable table;
  private final Recalls recalls;
  private final Volumes volumes;
  private final Pinner pinner;
  private final Unpinner unpinner;
  private final Sweeper sweeper;
  private final ConcurrentHashMap<BlockKey, Claim> claims = new ConcurrentHashMap<>();

  /**
   * @param clock monotonic; all terms are counted on it
   * @param background where links are removed; one thread is enough
   */
  public GrantService(
      GrantConfig config,
      ReplicaSource source,
      ExtentMapper mapper,
      VolumeIdentifier identifier,
      LeaseClock clock,
      Executor background) {
    this.config = config;
    this.source = source;
    this.clock = clock;
    this.incarnation = newIncarnation();
    this.table = new LeaseTable(config, clock);
    this.recalls = new Recalls(table, counters);
    this.volumes =
        new Volumes(config, source, identifier, mapper, incarnation, clock, this::recallAll);
    this.pinner =
        new Pinner(
            source,
            mapper,
            volumes,
            table,
            recalls,
            counters,
            clock,
            config.holdNanos(),
            incarnation);
    this.unpinner = new Unpinner(config.holdNanos(), table, clock, background);
    this.sweeper = new Sweeper(source, volumes, table, recalls, unpinner, clock);
  }

  private static long newIncarnation() {
    long value = RANDOM.nextLong();
    while (value == 0) {
      value = RANDOM.nextLong();
    }
    return value;
  }

  public GrantConfig config() {
    return config;
  }

  /** New at each start and never 0. */
  public long incarnation() {
    return incarnation;
  }

  public GrantCounters counters() {
    return counters;
  }

  /** The DataNode's UUID, or "" while it has none. */
  public String dataNodeUuid() {
    return source.dataNodeUuid();
  }

  /**
   * Grants file maps. May wait for the disk.
   *
   * @param cancelled whether nobody waits for the answer any more
   * @return one answer for each block, in order. A lease whose answer is not delivered should be
   *     given back at once.
   */
  public List<GrantResult> grant(Holder holder, List<BlockAsk> asks, BooleanSupplier cancelled) {
    long start = clock.nanos();
    List<GrantResult> results =
        new GrantBatch(holder, source, table, recalls, claims).run(asks, pinner, cancelled);
    for (GrantResult result : results) {
      if (result instanceof GrantResult.Refused refused) {
        counters.refused(refused.reason());
      } else {
        counters.granted();
      }
    }
    counters.requestTook(clock.nanos() - start);
    GrantFaultInjector.get().beforeReply(holder.clientId());
    return results;
  }

  /**
   * New terms for leases.
   *
   * @return milliseconds from now for each lease, in order; 0 where it cannot be renewed
   */
  public long[] renew(String clientId, long ofIncarnation, long[] leaseIds) {
    long[] terms = new long[leaseIds.length];
    if (ofIncarnation != incarnation) {
      return terms;
    }
    for (int i = 0; i < leaseIds.length; i++) {
      terms[i] = table.renew(clientId, leaseIds[i]);
      if (terms[i] > 0) {
        counters.renewed();
      }
    }
    return terms;
  }

  /** Takes leases back. Those that the client does not hold are ignored. */
  public void giveBack(String clientId, long ofIncarnation, long[] leaseIds) {
    if (ofIncarnation == incarnation) {
      unpinner.unpin(table.giveBack(clientId, leaseIds));
    }
  }

  /** Sends a client's recalls here, and no longer to where they went before. */
  public void subscribe(String clientId, RecallSink sink) {
    recalls.subscribe(clientId, sink);
  }

  /** Ends {@link #subscribe} of this sink. */
  public void unsubscribe(String clientId, RecallSink sink) {
    recalls.unsubscribe(clientId, sink);
  }

  /** Does what is due. To be called again and again, by one thread at a time. */
  public void sweep() {
    sweeper.sweep();
  }

  private void recallAll(Volume volume) {
    for (Pin pin : table.close(volume)) {
      recalls.recall(pin, false);
    }
  }

  /** All leases, as of no one moment: grants and renewals go on between two pages. */
  public List<LeaseInfo> leases() {
    List<LeaseInfo> all = new ArrayList<>();
    List<LeaseInfo> page = leases(0, PAGE);
    while (!page.isEmpty()) {
      all.addAll(page);
      page = leases(page.get(page.size() - 1).number(), PAGE);
    }
    return all;
  }

  /**
   * A page of the leases held now.
   *
   * @param after the last {@link LeaseInfo#number} of the page before; 0 for the first page
   * @param max leases on a page, at least 1; a thousand hold up grants for less than a millisecond
   * @return by number, ascending; empty behind the last
   */
  public List<LeaseInfo> leases(long after, int max) {
    return table.list(after, max);
  }

  /** Number of leases held now. */
  public int leaseCount() {
    return table.leaseCount();
  }

  /** The storage directories known now; {@link #sweep} takes in new ones. */
  public List<VolumeStatus> volumes() {
    return volumes.all().stream().map(table::status).toList();
  }
}
