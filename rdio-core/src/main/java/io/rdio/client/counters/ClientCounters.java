// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.counters;

import io.rdio.core.FallbackReason;
import io.rdio.core.counters.LatencyHistogram;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a client JVM did, counted. Written by the readers, published by whoever knows the metrics
 * system. Thread-safe; adding takes no lock and allocates nothing.
 */
public final class ClientCounters {
  /** Bytes and read calls that the application got by RDIO. */
  public final LongAdder rdioBytes = new LongAdder();

  public final LongAdder rdioReads = new LongAdder();

  /** Of these bytes, what the agent of this host read for us. */
  public final LongAdder agentBytes = new LongAdder();

  /** Bytes that an accessor had to fetch by stock HDFS after it had begun by RDIO. */
  public final LongAdder stockBytes = new LongAdder();

  /** Of these, those of runs that went by the device and a DataNode at once. */
  public final LongAdder togetherBytes = new LongAdder();

  /** Reads by position that went round Hadoop's own, to readers that a stream keeps. */
  public final LongAdder positionalReads = new LongAdder();

  /** Ranges of vectored reads that RDIO had under way together; neighbours count as one. */
  public final LongAdder vectoredRanges = new LongAdder();

  /** Most ranges that one vectored read had under way at a time. */
  public final LongAccumulator vectoredTogether = new LongAccumulator(Long::max, 0);

  /** Bytes read from devices, alignment and read-ahead included. */
  public final LongAdder deviceBytes = new LongAdder();

  public final LongAdder mapHits = new LongAdder();
  public final LongAdder mapMisses = new LongAdder();
  public final LongAdder mapLoads = new LongAdder();

  /** What was read without a DataNode's grant: the device's own metadata. */
  public final DeviceCounters device = new DeviceCounters();

  /** Maps that were read from the device, and not granted by a DataNode. */
  public final LongAdder mapsByDevice = device.maps;

  public final LongAdder recalls = new LongAdder();

  /** Maps found not to be valid any more only by reading: lease lost in mid-read, device error. */
  public final LongAdder staleMaps = new LongAdder();

  public final LongAdder checksumMismatches = new LongAdder();

  /** Chunks that the block data cache had, and had not, when they were wanted. */
  public final LongAdder dataCacheHits = new LongAdder();

  public final LongAdder dataCacheMisses = new LongAdder();

  /** Bytes that the block data cache had. */
  public final LongAdder dataCacheHitBytes = new LongAdder();

  /** Chunks that the block data cache dropped to make room. */
  public final LongAdder dataCacheEvictions = new LongAdder();

  /** Chunks that memory had not and the data cache's flash tier had, and their bytes. */
  public final LongAdder dataCacheFlashHits = new LongAdder();

  public final LongAdder dataCacheFlashHitBytes = new LongAdder();

  /** Bytes of chunks that the flash tier took, and bytes that it wrote to its file. */
  public final LongAdder dataCacheFlashAdmittedBytes = new LongAdder();

  public final LongAdder dataCacheFlashWrittenBytes = new LongAdder();

  /** Chunks that the flash tier would have taken had its file been faster. */
  public final LongAdder dataCacheFlashSkips = new LongAdder();

  /** Chunks that the flash tier's file did not have as they were written. */
  public final LongAdder dataCacheFlashChecksumFailures = new LongAdder();

  /** Flash tiers that could not be opened, or that an I/O error switched off. */
  public final LongAdder dataCacheFlashFailures = new LongAdder();

  /** Blocks whose first bytes were read before they were opened, and those that then were. */
  public final LongAdder blocksAhead = new LongAdder();

  public final LongAdder blocksAheadUsed = new LongAdder();

  /** Reads, or pieces of runs, that only were to find out how fast a route is. */
  public final LongAdder routeProbes = new LongAdder();

  /** How often the device, or the DataNode, was found to be the faster route. */
  public final LongAdder routeChanges = new LongAdder();

  /** Times that the thread which renews and returns leases met an error and began again. */
  public final LongAdder keeperFailures = new LongAdder();

  /** How long a reader waited for one device read, in nanoseconds; little where it was ahead. */
  public final LatencyHistogram deviceLatency = new LatencyHistogram();

  /** Time of one grant request, in nanoseconds. */
  public final LatencyHistogram grantLatency = new LatencyHistogram();

  private final Map<FallbackReason, LongAdder> fallbacks = adders();
  private final Map<FallbackReason, LongAdder> toNextWay = adders();

  private static Map<FallbackReason, LongAdder> adders() {
    Map<FallbackReason, LongAdder> adders = new EnumMap<>(FallbackReason.class);
    for (FallbackReason reason : FallbackReason.values()) {
      adders.put(reason, new LongAdder());
    }
    return adders;
  }

  /** Counts one read (or one accessor) that one way does not serve, whichever serves it instead. */
  public void fallback(FallbackReason reason) {
    adder(fallbacks, reason).increment();
  }

  /** Says of one that is counted so that another way by RDIO goes on with it. */
  public void toNextWay(FallbackReason reason) {
    adder(toNextWay, reason).increment();
  }

  /** How often this reason was counted. */
  public long fallbacks(FallbackReason reason) {
    return adder(fallbacks, reason).sum();
  }

  /** How often stock HDFS had to serve for this reason. */
  public long fallbacksToStock(FallbackReason reason) {
    long passedOn = adder(toNextWay, reason).sum(); // first, for it is counted last
    return fallbacks(reason) - passedOn;
  }

  private static LongAdder adder(Map<FallbackReason, LongAdder> adders, FallbackReason reason) {
    return Objects.requireNonNull(adders.get(reason));
  }
}
