// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackReason;
import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.counters.LatencyHistogram;
import io.rdio.hdfs.client.write.WriteCounters;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsException;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics source {@code RdioClient}: one for the JVM, over all its contexts. The application
 * owns the metrics system; where it starts none, the source waits unseen. Thread-safe.
 */
public final class RdioClientMetrics implements MetricsSource {
  private static final Logger LOG = LoggerFactory.getLogger(RdioClientMetrics.class);
  private static final String NAME = "RdioClient";
  private static final String FALLBACK_PREFIX = "Fallback_";
  private static final String WRITE_FALLBACK_PREFIX = "WriteFallback_";
  private static final int MAX_COPIES = 8;
  private static final AtomicBoolean REGISTERED = new AtomicBoolean();

  /** Adds what they hold; there are none until one says so. */
  private static volatile Consumer<DirectGauges> directClients = sum -> {};

  private RdioClientMetrics() {}

  /**
   * Says who knows what the clients hold that open devices themselves.
   *
   * @param clients adds up the gauges of all; called by any thread
   */
  public static void ofDirectClients(Consumer<DirectGauges> clients) {
    directClients = clients;
  }

  /** Registers the source once, and what it counts as Hadoop's storage statistics. */
  public static void register() {
    if (!REGISTERED.compareAndSet(false, true)) {
      return;
    }
    RdioStorageStatistics.register();
    MetricsSystem system = DefaultMetricsSystem.instance();
    for (int copy = 1; copy <= MAX_COPIES; copy++) {
      String name = copy == 1 ? NAME : NAME + "-" + copy;
      // Another class loader of this JVM may have its own copy of these classes.
      if (system.getSource(name) == null) {
        try {
          system.register(name, "Reads and writes past the DataNodes", new RdioClientMetrics());
          return;
        } catch (MetricsException e) {
          LOG.debug("RDIO: metrics source {} is taken", name, e);
        }
      }
    }
    LOG.warn("RDIO: no metrics source: {} names from {} on are taken", MAX_COPIES, NAME);
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder record = collector.addRecord(NAME).setContext("dfs");
    counters().forEach((name, value) -> record.addCounter(Interns.info(name, name), value));
    gauges().forEach((name, value) -> record.addGauge(Interns.info(name, name), value));
  }

  /** All values by name. */
  public static Map<String, Long> values() {
    Map<String, Long> values = counters();
    values.putAll(gauges());
    return values;
  }

  /** By name, what only grows; the caller's own. */
  static Map<String, Long> counters() {
    Map<String, Long> values = new LinkedHashMap<>();
    addCounters(JvmCounters.READS, values);
    addWrites(WriteCounters.OF_THIS_JVM, values);
    addEvictions(JvmCounters.EVICTIONS, values);
    return values;
  }

  /** By name, what comes and goes; the caller's own. */
  static Map<String, Long> gauges() {
    Map<String, Long> values = new LinkedHashMap<>();
    addGauges(values);
    return values;
  }

  private static void addDevice(DeviceCounters device, Map<String, Long> values) {
    values.put("MapsByDevice", device.maps.sum());
    values.put("PlaneLooks", device.looks.sum());
    values.put("PlaneLooksShared", device.looksShared.sum());
    values.put("PlaneBlockHits", device.blockHits.sum());
    values.put("PlaneBlockReads", device.blockReads.sum());
    values.put("PlaneOverlayHits", device.overlayHits.sum());
    values.put("PlaneResolves", device.resolves.sum());
    values.put("PlaneResolvesAgain", device.resolvesAgain.sum());
    values.put("PlaneComparisons", device.comparisons.sum());
    values.put("PlaneFilesChanged", device.filesChanged.sum());
    values.put("PlaneVolumesOpened", device.volumesOpened.sum());
    values.put("PlaneMountsSeen", device.mountsSeen.sum());
  }

  private static void addCounters(ClientCounters counters, Map<String, Long> values) {
    values.put("RdioBytes", counters.rdioBytes.sum());
    values.put("RdioReads", counters.rdioReads.sum());
    values.put("AgentBytes", counters.agentBytes.sum());
    values.put("StockBytes", counters.stockBytes.sum());
    values.put("TogetherBytes", counters.togetherBytes.sum());
    values.put("PositionalReads", counters.positionalReads.sum());
    values.put("VectoredRanges", counters.vectoredRanges.sum());
    values.put("DeviceBytes", counters.deviceBytes.sum());
    values.put("MapHits", counters.mapHits.sum());
    addDevice(counters.device, values);
    values.put("MapMisses", counters.mapMisses.sum());
    values.put("MapLoads", counters.mapLoads.sum());
    values.put("Recalls", counters.recalls.sum());
    values.put("StaleMaps", counters.staleMaps.sum());
    values.put("ChecksumMismatches", counters.checksumMismatches.sum());
    values.put("DataCacheHits", counters.dataCacheHits.sum());
    values.put("DataCacheHitBytes", counters.dataCacheHitBytes.sum());
    values.put("DataCacheMisses", counters.dataCacheMisses.sum());
    values.put("DataCacheEvictions", counters.dataCacheEvictions.sum());
    addFlash(counters, values);
    values.put("BlocksAhead", counters.blocksAhead.sum());
    values.put("BlocksAheadUsed", counters.blocksAheadUsed.sum());
    values.put("RouteProbes", counters.routeProbes.sum());
    values.put("RouteChanges", counters.routeChanges.sum());
    values.put("KeeperFailures", counters.keeperFailures.sum());
    values.put("ClockJumps", held().clockJumps);
    long fallbacks = 0;
    for (FallbackReason reason : FallbackReason.values()) {
      long count = counters.fallbacks(reason);
      fallbacks += reason == FallbackReason.DISABLED ? 0 : count;
      values.put(FALLBACK_PREFIX + reason, count);
    }
    values.put("Fallbacks", fallbacks);
  }

  /** Of the data cache's flash tier. */
  private static void addFlash(ClientCounters counters, Map<String, Long> values) {
    values.put("DataCacheFlashHits", counters.dataCacheFlashHits.sum());
    values.put("DataCacheFlashHitBytes", counters.dataCacheFlashHitBytes.sum());
    values.put("DataCacheFlashAdmittedBytes", counters.dataCacheFlashAdmittedBytes.sum());
    values.put("DataCacheFlashWrittenBytes", counters.dataCacheFlashWrittenBytes.sum());
    values.put("DataCacheFlashSkips", counters.dataCacheFlashSkips.sum());
    values.put("DataCacheFlashChecksumFailures", counters.dataCacheFlashChecksumFailures.sum());
    values.put("DataCacheFlashFailures", counters.dataCacheFlashFailures.sum());
  }

  private static void addWrites(WriteCounters counters, Map<String, Long> values) {
    values.put("WrittenBytes", counters.bytes.sum());
    values.put("WrittenBlocks", counters.blocks.sum());
    values.put("WriteMissedReplicas", counters.missedReplicas.sum());
    values.put("WriteLostBlocks", counters.lostBlocks.sum());
    long fallbacks = 0;
    for (FallbackReason reason : FallbackReason.values()) {
      long count = counters.fallbacks(reason);
      fallbacks += reason == FallbackReason.DISABLED ? 0 : count;
      values.put(WRITE_FALLBACK_PREFIX + reason, count);
    }
    values.put("WriteFallbacks", fallbacks);
  }

  /** Of evicted chunks, what lies on the storage agents' devices, and what became of that. */
  private static void addEvictions(EvictionCounters counters, Map<String, Long> values) {
    values.put("StorageAgentEvictedBytes", counters.evictedBytes.sum());
    values.put("StorageAgentPartialBytes", counters.partialBytes.sum());
    values.put("StorageAgentSentBlocks", counters.sentBlocks.sum());
    values.put("StorageAgentSentBytes", counters.sentBytes.sum());
    values.put("StorageAgentStaleBlocks", counters.staleBlocks.sum());
    values.put("StorageAgentLostBlocks", counters.lostBlocks.sum());
    values.put("StorageAgentStreams", counters.streams.sum());
    values.put("StorageAgentBrokenStreams", counters.brokenStreams.sum());
    values.put("StorageAgentTracerFailures", counters.tracerFailures.sum());
  }

  private static void addGauges(Map<String, Long> values) {
    DirectGauges held = held();
    values.put("Contexts", held.contexts);
    values.put("MapsCached", held.maps);
    values.put("MapBytes", held.mapBytes);
    values.put("MapCrcBytes", held.crcBytes);
    values.put("LeasesHeld", held.leases);
    values.put("BufferBytesLent", held.lentBytes);
    values.put("BufferBytesAllocated", held.allocatedBytes);
    values.put("DataCacheBytes", held.cachedBytes);
    values.put("DataCacheFlashBytes", held.flashBytes);
    values.put("DataCacheBytesAllocated", held.cacheAllocatedBytes);
    ClientCounters counters = JvmCounters.READS;
    values.put("VectoredTogether", counters.vectoredTogether.get());
    addLatency("DeviceLatency", counters.deviceLatency, values);
    addLatency("GrantLatency", counters.grantLatency, values);
  }

  private static DirectGauges held() {
    DirectGauges sum = new DirectGauges();
    directClients.accept(sum);
    return sum;
  }

  private static void addLatency(String name, LatencyHistogram latency, Map<String, Long> values) {
    values.put(name + "P50Micros", latency.percentileMicros(0.5));
    values.put(name + "P95Micros", latency.percentileMicros(0.95));
    values.put(name + "P99Micros", latency.percentileMicros(0.99));
  }
}
