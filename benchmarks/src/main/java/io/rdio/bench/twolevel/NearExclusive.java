// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.exclusive.eviction.EvictionTracer;
import io.rdio.exclusive.eviction.KTracerAgent;
import io.rdio.exclusive.eviction.KernelEvictions;
import io.rdio.exclusive.prefcache.OnWrite;
import io.rdio.exclusive.prefcache.PrefCacheAgent;
import io.rdio.exclusive.prefcache.PrefCacheOptions;
import io.rdio.exclusive.prefcache.SegmentCache;
import io.rdio.exclusive.prefcache.SegmentGeometry;
import io.rdio.exclusive.prefcache.SegmentPolicy;
import io.rdio.exclusive.prefcache.StorageDevice;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** BNEX as it runs: both agents, KTracer and PrefCache, in this process, joined by gRPC. */
final class NearExclusive implements RealStorageCache {
  private static final int TRIES = 200;
  private static final int TRY_MILLIS = 50;

  private final PrefCacheAgent storage;
  private final KTracerAgent compute;

  private NearExclusive(PrefCacheAgent storage, KTracerAgent compute) {
    this.storage = storage;
    this.compute = compute;
  }

  /**
   * Starts both; evictions are traced when it returns.
   *
   * @param capacity in blocks
   * @param maxQueueLength requests of the compute node under way up to which is prefetched
   * @throws IOException if this kernel or this user may not
   */
  static NearExclusive start(
      StorageDevice device, int capacity, SegmentPolicy policy, int maxQueueLength)
      throws IOException {
    return start(device, capacity, policy, maxQueueLength, EvictionTracer.Settings.DEFAULT);
  }

  /** The same with settings of KTracer's. */
  static NearExclusive start(
      StorageDevice device,
      int capacity,
      SegmentPolicy policy,
      int maxQueueLength,
      EvictionTracer.Settings settings)
      throws IOException {
    PrefCacheAgent storage =
        PrefCacheAgent.start(
            new PrefCacheOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                SegmentGeometry.PAPER,
                (long) capacity * Workload.BLOCK_BYTES,
                SegmentCache.DROP_AT,
                policy,
                OnWrite.DROP,
                maxQueueLength,
                PrefCacheOptions.DEFAULT_QUEUE_RUNS),
            List.of(device));
    try {
      String endpoint = InetAddress.getLoopbackAddress().getHostAddress() + ":" + storage.port();
      KTracerAgent compute =
          KTracerAgent.start(
              new KernelEvictions(KernelEvictions.Probe.BEST, false), endpoint, Map.of(), settings);
      awaitTraced(compute);
      return new NearExclusive(storage, compute);
    } catch (IOException e) {
      storage.close();
      throw e;
    }
  }

  private static void awaitTraced(KTracerAgent compute) throws IOException {
    try {
      for (int i = 0; i < TRIES && compute.tracer().traced().isEmpty(); i++) {
        TimeUnit.MILLISECONDS.sleep(TRY_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (compute.tracer().traced().isEmpty()) {
      compute.close();
      throw new IOException("KTracer did not find the device that PrefCache caches: see its log");
    }
  }

  @Override
  public long extraNetworkBytes() {
    return compute.tracer().counters().values().getOrDefault("sent_bytes", 0L);
  }

  /** All that KTracer counts, by name, in the kernel and behind it. */
  Map<String, Long> counters() {
    Map<String, Long> counters = new LinkedHashMap<>(compute.kernel().counts());
    counters.putAll(compute.tracer().counters().values());
    return counters;
  }

  @Override
  public void close() throws IOException {
    compute.close();
    storage.close();
  }
}
