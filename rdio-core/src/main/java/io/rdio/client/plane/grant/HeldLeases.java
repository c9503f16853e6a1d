// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.client.plane.FileMap;
import io.rdio.core.table.SlotTable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The maps whose leases this client holds of one DataNode, by lease id. Thread-safe. */
final class HeldLeases {
  private static final int STRIPE_BITS = 4;

  private final SlotTable<Long, FileMap> held =
      new SlotTable<>(map -> Lease.of(map).id(), STRIPE_BITS);

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

  /** Adds a map just granted, before anybody else has seen it. */
  Addition add(FileMap map) {
    if (held.putIfAbsent(map) != null) {
      return Addition.DUPLICATE;
    }
    if (recalled.getIfPresent(Lease.of(map).id()) != null) {
      held.remove(map);
      return Addition.RECALLED;
    }
    return Addition.ADDED;
  }

  /** Takes out the map whose lease the DataNode wants back; null if it is not, or not yet, held. */
  @Nullable FileMap recall(long id) {
    recalled.put(id, true);
    FileMap map = held.find(id);
    return map != null && held.remove(map) ? map : null;
  }

  /** True for the one caller that takes it out. */
  boolean remove(FileMap map) {
    return held.remove(map);
  }

  boolean holds(FileMap map) {
    return held.find(Lease.of(map).id()) == map;
  }

  Iterable<FileMap> all() {
    return held;
  }

  int size() {
    return held.size();
  }

  /** Ids start anew: what was recalled until now says nothing about leases to come. */
  void forgetRecalls() {
    recalled.invalidateAll();
  }

  boolean isEmpty() {
    return held.size() == 0;
  }
}
