// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.exclusive.eviction.EvictionTracer;
import io.rdio.exclusive.prefcache.SegmentPolicy;
import io.rdio.exclusive.prefcache.StorageDevice;
import io.rdio.exclusive.prefcache.StorageDevices;
import java.io.IOException;
import java.util.List;

/** Who drives level 2, the page cache of a {@link TwoLevelStack}'s image, for real. */
interface RealStorageCache extends AutoCloseable {
  /** The policies that there are, as {@link StorageCaches} names them. */
  List<String> POLICIES = List.of("Vanilla", "Incl", "BNEX", "BNEX-S3-FIFO");

  /** Bytes sent over the network so far besides the blocks that were read. */
  long extraNetworkBytes();

  @Override
  void close() throws IOException;

  /**
   * Starts one.
   *
   * @param capacity in blocks
   * @param maxQueueLength requests of compute nodes under way up to which BNEX prefetches
   */
  static RealStorageCache start(
      String policy, TwoLevelStack stack, int capacity, int maxQueueLength) throws IOException {
    stack.cacheImage(!policy.equals("Vanilla"));
    return switch (policy) {
      case "Vanilla" -> new Nothing();
      case "Incl" -> TrimmedPageCache.start(device(stack), capacity);
      case "BNEX" -> bnex(stack, capacity, SegmentPolicy.FIFO, maxQueueLength);
      case "BNEX-S3-FIFO" -> bnex(stack, capacity, SegmentPolicy.S3_FIFO, maxQueueLength);
      default -> throw new IllegalArgumentException(policy + " is none of " + POLICIES);
    };
  }

  private static RealStorageCache bnex(
      TwoLevelStack stack, int capacity, SegmentPolicy policy, int maxQueueLength)
      throws IOException {
    return NearExclusive.start(
        new NearExclusive.Storage(device(stack), capacity, policy, maxQueueLength),
        stack.views().stream().map(TwoLevelStack.View::node).toList(),
        EvictionTracer.Settings.DEFAULT);
  }

  /** The namespace, as PrefCache has it. */
  static StorageDevice device(TwoLevelStack stack) throws IOException {
    return new StorageDevices().find(0, stack.namespaceNode(), stack.image());
  }

  /** No storage cache: the namespace goes round the page cache. */
  final class Nothing implements RealStorageCache {
    @Override
    public long extraNetworkBytes() {
      return 0;
    }

    @Override
    public void close() {
      // Nothing was started.
    }
  }
}
