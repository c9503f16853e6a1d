// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackPolicy.MapVerdict;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.time.MonotonicClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What all readers of one JVM share. Safe for any number of threads.
 *
 * @param clock the one that the leases of {@code maps} run on
 * @param dataCache null where it is off
 */
public record ReadContext(
    FileMapSource maps,
    DeviceDirectory devices,
    WindowPool windows,
    ReadAheadPool readAheads,
    MonotonicClock clock,
    ClientCounters counters,
    @Nullable BlockDataCache dataCache,
    BlocksAhead blocksAhead) {
  /** As many replicas as a block usually has. */
  private static final int MAX_RESOLVE_TRIES = 3;

  /** The same with another block data cache, or without one. */
  public ReadContext with(@Nullable BlockDataCache cache) {
    return new ReadContext(maps, devices, windows, readAheads, clock, counters, cache, blocksAhead);
  }

  /** More replicas than one that a reader reads by. */
  int maxBeside() {
    return maps.replicas() - 1;
  }

  /**
   * Other replicas that can be read here in the same way as one, as far as they are known now.
   *
   * @param verify whether bytes are checked against their CRCs
   */
  MappedReplica[] beside(BlockRequest request, MappedReplica own, boolean verify, long length) {
    if (maxBeside() == 0) {
      return ReplicaSpread.NONE;
    }
    @Nullable FileMap[] others = new @Nullable FileMap[maxBeside()];
    int count = maps.others(request, own.map(), others);
    List<MappedReplica> found = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      FileMap map = Objects.requireNonNull(others[i]);
      try {
        MappedReplica other = mapped(map, verify, length);
        if (other.readsLike(own)) {
          found.add(other);
        }
      } catch (FallbackException e) {
        maps.reject(map, e.reason()); // it would be asked for again and again
      }
    }
    return found.toArray(ReplicaSpread.NONE);
  }

  /**
   * Draws the conclusions from a read by a map that failed: a map that is of no more use is
   * dropped.
   *
   * @return what became of it; with STANDS and USELESS_HERE nothing
   */
  MapVerdict reject(FileMap map, FallbackReason reason) {
    MapVerdict verdict = reason.policy().mapVerdict();
    switch (verdict) {
      case SUSPECT -> counters.checksumMismatches.increment();
      case GREW_OLD -> counters.staleMaps.increment();
      case DEVICE_FAILED -> {
        counters.staleMaps.increment();
        devices.forget(map.device());
      }
      case DEVICE_HANGS -> {
        // It may answer again, which whoever opens it next finds out.
      }
      case STANDS, USELESS_HERE -> {
        return verdict;
      }
    }
    maps.reject(map, reason);
    return verdict;
  }

  private MappedReplica mapped(FileMap map, boolean verify, long length) throws FallbackException {
    BlockDevice device = map.resolve(devices);
    return MappedReplica.of(map, maps, device, verify, length, windows.largestWindow());
  }

  /**
   * A map that can be read here; one of another replica if this host does not see the first.
   *
   * @param verify whether bytes are checked against their CRCs
   * @param length bytes that the reader means to see
   * @throws FallbackException why stock HDFS must serve this block
   */
  MappedReplica resolve(BlockRequest request, boolean verify, long length)
      throws FallbackException {
    for (int tries = 1; ; tries++) {
      FileMap map = maps.get(request);
      try {
        return mapped(map, verify, length);
      } catch (FallbackException e) {
        if (!e.reason().policy().mapVerdict().isFoundBeforeRead()) {
          throw e;
        }
        maps.reject(map, e.reason());
        if (tries == MAX_RESOLVE_TRIES) {
          throw e;
        }
      }
    }
  }
}
