// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.read.ReadContext;
import io.rdio.core.FallbackReason;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an agent says of itself: a figure a line, as Prometheus takes them. Thread-safe. */
final class AgentStatus {
  private final AgentCounters counters;
  private final ReadContext readContext;
  private final Supplier<Map<String, Long>> writes;

  /**
   * @param writes further figures of what is written
   */
  AgentStatus(AgentCounters counters, ReadContext readContext, Supplier<Map<String, Long>> writes) {
    this.counters = counters;
    this.readContext = readContext;
    this.writes = writes;
  }

  /** All figures of now, by their names. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("processes", (long) counters.processes.get());
    figures.put("lanes", (long) counters.lanes.get());
    figures.put("segment_bytes", counters.segmentBytes.get());
    figures.put("sessions_total", counters.sessions.sum());
    figures.put("opens_total", counters.opens.sum());
    figures.put("reads_total", counters.reads.sum());
    figures.put("read_bytes_total", counters.bytes.sum());
    figures.put("mismatches_total", counters.mismatches.sum());
    figures.put("unfounded_mismatches_total", counters.unfoundedMismatches.sum());
    figures.put("huge_pages_total", counters.hugePages.sum());
    figures.put("huge_pages_refused_total", counters.hugePagesRefused.sum());
    figures.put("malformed_total", counters.malformed.sum());
    figures.put("failures_total", counters.failures.sum());
    figures.put("map_hits_total", readContext.counters().mapHits.sum());
    figures.put("map_misses_total", readContext.counters().mapMisses.sum());
    figures.put("device_bytes_total", readContext.counters().deviceBytes.sum());
    putDevicePlane(figures);
    putDataCache(figures);
    putWrites(figures);
    for (FallbackReason reason : FallbackReason.values()) {
      long refused = counters.refusals(reason);
      if (refused > 0) {
        figures.put("refusals_total{reason=\"" + reason + "\"}", refused);
      }
    }
    return figures;
  }

  /** What was read without a DataNode's grant; all 0 where each DataNode answers. */
  private void putDevicePlane(Map<String, Long> figures) {
    DeviceCounters device = readContext.counters().device;
    figures.put("maps_by_device_total", device.maps.sum());
    figures.put("plane_looks_total", device.looks.sum());
    figures.put("plane_looks_shared_total", device.looksShared.sum());
    figures.put("plane_block_hits_total", device.blockHits.sum());
    figures.put("plane_block_reads_total", device.blockReads.sum());
    figures.put("plane_overlay_hits_total", device.overlayHits.sum());
    figures.put("plane_resolves_total", device.resolves.sum());
    figures.put("plane_resolves_again_total", device.resolvesAgain.sum());
    figures.put("plane_comparisons_total", device.comparisons.sum());
    figures.put("plane_files_changed_total", device.filesChanged.sum());
    figures.put("plane_volumes_opened_total", device.volumesOpened.sum());
    figures.put("plane_mounts_seen_total", device.mountsSeen.sum());
  }

  /** All 0 where it is off. */
  private void putDataCache(Map<String, Long> figures) {
    BlockDataCache cache = readContext.dataCache();
    figures.put("data_cache_bytes", cache == null ? 0L : cache.cachedBytes());
    figures.put("data_cache_hits_total", readContext.counters().dataCacheHits.sum());
    figures.put("data_cache_hit_bytes_total", readContext.counters().dataCacheHitBytes.sum());
    figures.put("data_cache_misses_total", readContext.counters().dataCacheMisses.sum());
    figures.put("data_cache_evictions_total", readContext.counters().dataCacheEvictions.sum());
    putFlash(figures, cache);
  }

  private void putFlash(Map<String, Long> figures, @Nullable BlockDataCache cache) {
    ClientCounters of = readContext.counters();
    figures.put("data_cache_flash_bytes", cache == null ? 0L : cache.flashBytes());
    figures.put("data_cache_flash_hits_total", of.dataCacheFlashHits.sum());
    figures.put("data_cache_flash_hit_bytes_total", of.dataCacheFlashHitBytes.sum());
    figures.put("data_cache_flash_admitted_bytes_total", of.dataCacheFlashAdmittedBytes.sum());
    figures.put("data_cache_flash_written_bytes_total", of.dataCacheFlashWrittenBytes.sum());
    figures.put("data_cache_flash_skips_total", of.dataCacheFlashSkips.sum());
    figures.put(
        "data_cache_flash_checksum_failures_total", of.dataCacheFlashChecksumFailures.sum());
    figures.put("data_cache_flash_failures_total", of.dataCacheFlashFailures.sum());
  }

  private void putWrites(Map<String, Long> figures) {
    figures.put("open_writes", (long) counters.openWrites.get());
    figures.put("write_checksum_bytes", counters.checksumBytes.get());
    figures.put("blocks_written_total", counters.blocksWritten.sum());
    figures.put("written_bytes_total", counters.writtenBytes.sum());
    figures.put("writes_refused_total", counters.writesRefused.sum());
    figures.put("replicas_lost_total", counters.replicasLost.sum());
    figures.putAll(new TreeMap<>(writes.get())); // in the same order each time
  }

  /** The same for Prometheus. */
  String text() {
    StringBuilder text = new StringBuilder();
    figures()
        .forEach(
            (name, value) ->
                text.append("rdio_agent_").append(name).append(' ').append(value).append('\n'));
    return text.toString();
  }
}
