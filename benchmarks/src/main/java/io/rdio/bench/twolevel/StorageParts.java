// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * A storage cache in parts, one for each compute node: of policies that the compute node drives,
 * which no two can do with the same memory.
 */
record StorageParts(List<StorageCache> parts) implements StorageCache {
  StorageParts {
    parts = List.copyOf(parts);
  }

  @Override
  public StorageCache forNode(int node) {
    return parts.get(node);
  }

  @Override
  public int read(int first, int blocks) {
    throw new UnsupportedOperationException("a read is of a node: see forNode");
  }

  @Override
  public long extraNetworkBytes() {
    return sum(StorageCache::extraNetworkBytes);
  }

  @Override
  public long prefetched() {
    return sum(StorageCache::prefetched);
  }

  @Override
  public long unreadPrefetches() {
    return sum(StorageCache::unreadPrefetches);
  }

  private long sum(ToLongFunction<StorageCache> count) {
    return parts.stream().mapToLong(count).sum();
  }
}
