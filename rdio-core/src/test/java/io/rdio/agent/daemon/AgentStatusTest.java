// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** What an agent says of itself is what was counted, each figure under its own name. */
final class AgentStatusTest {
  private final ReadFixture fixture =
      new ReadFixture(new TestBlock(1, 4096, ChecksumSpec.Type.CRC32C, 512, 4096, 4096), 4096);

  @Test
  void devicePlaneIsShown() {
    DeviceCounters device = fixture.context.counters().device;
    Map<String, LongAdder> counted = new LinkedHashMap<>();
    counted.put("maps_by_device_total", device.maps);
    counted.put("plane_looks_total", device.looks);
    counted.put("plane_looks_shared_total", device.looksShared);
    counted.put("plane_block_hits_total", device.blockHits);
    counted.put("plane_block_reads_total", device.blockReads);
    counted.put("plane_overlay_hits_total", device.overlayHits);
    counted.put("plane_resolves_total", device.resolves);
    counted.put("plane_resolves_again_total", device.resolvesAgain);
    counted.put("plane_comparisons_total", device.comparisons);
    counted.put("plane_files_changed_total", device.filesChanged);
    counted.put("plane_volumes_opened_total", device.volumesOpened);
    counted.put("plane_mounts_seen_total", device.mountsSeen);
    List<LongAdder> adders = List.copyOf(counted.values());
    for (int i = 0; i < adders.size(); i++) {
      adders.get(i).add(i + 1);
    }
    AgentStatus status = new AgentStatus(new AgentCounters(), fixture.context, Map::of);
    Map<String, Long> figures = status.figures();
    counted.forEach((name, adder) -> assertThat(figures).containsEntry(name, adder.sum()));
    assertThat(status.text()).contains("rdio_agent_plane_mounts_seen_total 12\n");
  }
}
