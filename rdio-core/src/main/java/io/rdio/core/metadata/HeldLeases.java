// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.core.lease.Lease;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The leases that this client holds of one DataNode, by lease id. Thread-safe. */
final class HeldLeases {
  private final ConcurrentHashMap<Long, HeldLease> held = new ConcurrentHashMap<>();

  // A recall can overtake the answer that grants the lease. It is not returned then but remembered,
  // and the lease is given back when the answer comes; were it forgotten meanwhile, the lease would
  // still be good until it runs out. A minute is longer than any answer is awaited.
  private final Cache<Long, Boolean> recalled =
      Caffeine.newBuilder()
          .maximumSize(100_000)
          .expireAfterWrite(Duration.ofMinutes(1))
          .executor(Runnable::run)
          .build();

  /** Why a lease was not added. */
  enum Addition {
    ADDED,
    RECALLED,
    DUPLICATE
  }

  /** Adds a lease just granted, before anybody else has seen it. */
  Addition add(HeldLease lease) {
    Long id = lease.lease().id();
    if (held.putIfAbsent(id, lease) != null) {
      return Addition.DUPLICATE;
    }
    if (recalled.getIfPresent(id) != null) {
      held.remove(id, lease);
      return Addition.RECALLED;
    }
    return Addition.ADDED;
  }

  /** Takes out a lease that the DataNode wants back; null if it is not, or not yet, held. */
  @Nullable HeldLease recall(long id) {
    recalled.put(id, true);
    return held.remove(id);
  }

  /** True for the one caller that takes it out. */
  boolean remove(HeldLease lease) {
    return held.remove(lease.lease().id(), lease);
  }

  /** What is known of a lease; null if it is not held any more. */
  @Nullable HeldLease find(Lease lease) {
    HeldLease found = held.get(lease.id());
    return found != null && found.lease() == lease ? found : null;
  }

  Collection<HeldLease> all() {
    return held.values();
  }

  int size() {
    return held.size();
  }

  /** Ids start anew: what was recalled until now says nothing about leases to come. */
  void forgetRecalls() {
    recalled.invalidateAll();
  }

  boolean isEmpty() {
    return held.isEmpty();
  }
}
