// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.DeviceCounters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** What a process says of itself is what was counted, each figure under its own name. */
final class RdioClientMetricsTest {
  @Test
  void devicePlaneIsShown() {
    DeviceCounters device = JvmCounters.READS.device;
    Map<String, LongAdder> counted = new LinkedHashMap<>();
    counted.put("MapsByDevice", device.maps);
    counted.put("PlaneLooks", device.looks);
    counted.put("PlaneLooksShared", device.looksShared);
    counted.put("PlaneBlockHits", device.blockHits);
    counted.put("PlaneBlockReads", device.blockReads);
    counted.put("PlaneOverlayHits", device.overlayHits);
    counted.put("PlaneResolves", device.resolves);
    counted.put("PlaneResolvesAgain", device.resolvesAgain);
    counted.put("PlaneComparisons", device.comparisons);
    counted.put("PlaneFilesChanged", device.filesChanged);
    counted.put("PlaneVolumesOpened", device.volumesOpened);
    counted.put("PlaneMountsSeen", device.mountsSeen);
    List<LongAdder> adders = List.copyOf(counted.values());
    for (int i = 0; i < adders.size(); i++) {
      adders.get(i).add(i + 1);
    }
    Map<String, Long> values = RdioClientMetrics.values();
    counted.forEach((name, adder) -> assertThat(values).containsEntry(name, adder.sum()));
  }
}
