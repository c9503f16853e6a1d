// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.net.InetSocketAddress;

/**
 * How the storage node's agent works.
 *
 * @param listen port 0 takes a free one
 * @param capacityBytes of blocks that are cached or being fetched
 * @param dropAt share of invalid blocks at which a segment goes
 * @param maxQueueLength requests of compute nodes under way on a device up to which is prefetched
 * @param queueRuns that may wait to be prefetched; about 50 bytes each
 */
public record PrefCacheOptions(
    InetSocketAddress listen,
    SegmentGeometry geometry,
    long capacityBytes,
    double dropAt,
    SegmentPolicy policy,
    OnWrite onWrite,
    int maxQueueLength,
    int queueRuns) {
  public static final int DEFAULT_MAX_QUEUE_LENGTH = 8;
  public static final int DEFAULT_QUEUE_RUNS = 1 << 16;

  public PrefCacheOptions {
    SegmentCache.checkLimits(geometry, capacityBytes, dropAt);
    if (maxQueueLength < 0 || queueRuns < 1) {
      throw new IllegalArgumentException(
          "a queue length of " + maxQueueLength + " or a queue of " + queueRuns + " runs is none");
    }
  }
}
