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
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * BNEX as it runs: PrefCache, and a KTracer for each compute node, in this process, joined by gRPC.
 * For one thread.
 */
final class NearExclusive implements RealStorageCache {
  private static final int TRIES = 200;
  private static final int TRY_MILLIS = 50;

  private final PrefCacheAgent storage;
  private final List<KTracerAgent> compute = new ArrayList<>();

  private NearExclusive(PrefCacheAgent storage) {
    this.storage = storage;
  }

  /**
   * PrefCache's part.
   *
   * @param device 0, the namespace
   * @param capacity in blocks
   * @param maxQueueLength requests of compute nodes under way up to which is prefetched
   */
  record Storage(StorageDevice device, int capacity, SegmentPolicy policy, int maxQueueLength) {}

  /**
   * Starts all of it; evictions are traced when it returns.
   *
   * @param nodes device nodes by which the compute nodes have the namespace, one each
   * @param settings of each KTracer
   * @throws IOException if this kernel or this user may not
   */
  static NearExclusive start(Storage storage, List<Path> nodes, EvictionTracer.Settings settings)
      throws IOException {
    NearExclusive agents = new NearExclusive(start(storage));
    try {
      for (Path node : nodes) {
        agents.trace(node, settings);
      }
      return agents;
    } catch (IOException e) {
      agents.close();
      throw e;
    }
  }

  private static PrefCacheAgent start(Storage storage) throws IOException {
    return PrefCacheAgent.start(
        new PrefCacheOptions(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            SegmentGeometry.PAPER,
            (long) storage.capacity() * Workload.BLOCK_BYTES,
            SegmentCache.DROP_AT,
            storage.policy(),
            OnWrite.DROP,
            storage.maxQueueLength(),
            PrefCacheOptions.DEFAULT_QUEUE_RUNS),
        List.of(storage.device()));
  }

  /** By its node: all views of the namespace have the same file system, and so the same UUID. */
  private void trace(Path node, EvictionTracer.Settings settings) throws IOException {
    String endpoint = InetAddress.getLoopbackAddress().getHostAddress() + ":" + storage.port();
    KTracerAgent agent =
        KTracerAgent.start(
            new KernelEvictions(KernelEvictions.Probe.BEST, false),
            endpoint,
            Map.of(0, node),
            settings);
    compute.add(agent);
    if (!await(() -> !agent.tracer().traced().isEmpty())) {
      throw new IOException(
          "KTracer did not find " + node + ", which PrefCache caches: see its log");
    }
  }

  /** Whether it came true in ten seconds. */
  private static boolean await(BooleanSupplier condition) throws IOException {
    try {
      for (int i = 0; i < TRIES && !condition.getAsBoolean(); i++) {
        TimeUnit.MILLISECONDS.sleep(TRY_MILLIS);
      }
      return condition.getAsBoolean();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while KTracer began or ended");
    }
  }

  @Override
  public long extraNetworkBytes() {
    return counters().getOrDefault("sent_bytes", 0L);
  }

  /** All that the KTracers count, by name, in the kernel and behind it. */
  Map<String, Long> counters() {
    Map<String, Long> counters = new LinkedHashMap<>();
    for (KTracerAgent agent : compute) {
      agent.kernel().counts().forEach((name, count) -> counters.merge(name, count, Long::sum));
      agent
          .tracer()
          .counters()
          .values()
          .forEach((name, count) -> counters.merge(name, count, Long::sum));
    }
    return counters;
  }

  /**
   * Ends the KTracers, with all that they count; PrefCache goes on.
   *
   * @return the memory that they had
   * @throws IOException also if one does not end in ten seconds
   */
  Footprint endTracers() throws IOException {
    Footprint with = Footprint.now();
    closeTracers();
    if (!await(() -> !KtracerThreads.areAlive())) {
      throw new IOException("KTracer has not ended: what memory it has is not known");
    }
    return with.since(Footprint.now());
  }

  private void closeTracers() {
    compute.forEach(KTracerAgent::close);
    compute.clear();
  }

  @Override
  public void close() throws IOException {
    closeTracers();
    storage.close();
  }
}
