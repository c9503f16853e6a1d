// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.WritePlane;
import io.rdio.core.FallbackException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews write leases: one request for all that a DataNode has lent, when it is due for one of
 * them. DataNodes that did not answer last time come behind all others, which then wait for one of
 * those at most. For one thread.
 */
final class LeaseRenewals {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseRenewals.class);

  private final WritePlane plane;
  private final Set<DataNodeId> silent = new HashSet<>();

  LeaseRenewals(WritePlane plane) {
    this.plane = plane;
  }

  /** The leases of one DataNode. */
  private static final class Batch {
    final DataNodeId target;
    final List<WriteLease> leases = new ArrayList<>();
    long leftNanos = Long.MAX_VALUE;

    Batch(DataNodeId target) {
      this.target = target;
    }

    void add(WriteLease lease, long nanos) {
      leases.add(lease);
      leftNanos = Math.min(leftNanos, nanos);
    }
  }

  /**
   * Asks the DataNode that is due first, if one is.
   *
   * @param now on the clock of terms
   * @return nanoseconds until one is due; 0 or less if one was: call it again
   */
  long next(List<WriteLease> leases, long now) {
    Collection<Batch> batches = batches(leases, now);
    long left = batches.stream().mapToLong(batch -> batch.leftNanos).min().orElse(Long.MAX_VALUE);
    batches.stream()
        .filter(batch -> batch.leftNanos <= 0)
        .min(
            Comparator.comparing((Batch batch) -> silent.contains(batch.target))
                .thenComparingLong(batch -> batch.leftNanos))
        .ifPresent(this::renew);
    return left;
  }

  private Collection<Batch> batches(List<WriteLease> leases, long now) {
    Map<DataNodeId, Batch> batches = new LinkedHashMap<>();
    for (WriteLease lease : leases) {
      OptionalLong left = lease.untilRenewal(now);
      if (left.isPresent()) {
        batches.computeIfAbsent(lease.target(), Batch::new).add(lease, left.getAsLong());
      }
    }
    silent.retainAll(batches.keySet());
    return batches.values();
  }

  private void renew(Batch batch) {
    List<OptionalLong> deadlines;
    try {
      deadlines = plane.renew(batch.target, batch.leases.stream().map(WriteLease::slot).toList());
    } catch (FallbackException e) {
      LOG.debug("RDIO: {} write leases are not renewed for now", batch.leases.size(), e);
      silent.add(batch.target);
      batch.leases.forEach(WriteLease::unanswered);
      return;
    }
    silent.remove(batch.target);
    for (int i = 0; i < batch.leases.size(); i++) {
      batch.leases.get(i).renewed(deadlines.get(i));
    }
  }
}
