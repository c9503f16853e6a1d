// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.datanode.allocate.WriteRoom;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.junit.jupiter.api.Test;

final class WriteMetricsTest {
  @Test
  void slotsAndRefusalsAreThere() {
    try (WriteRoom room = WriteFigures.room()) {
      room.counters().refused(FallbackReason.SLOTS_EXHAUSTED);
      MetricsCollectorImpl collector = new MetricsCollectorImpl();

      new WriteMetrics(room).addTo(collector.addRecord("test"));

      Map<String, Long> values =
          StreamSupport.stream(collector.getRecords().get(0).metrics().spliterator(), false)
              .collect(Collectors.toMap(AbstractMetric::name, m -> m.value().longValue()));
      assertThat(values)
          .containsEntry("WriteRefused_SLOTS_EXHAUSTED", 1L)
          .containsEntry("SlotsFree", 0L)
          .containsEntry("SlotsLeased", 0L)
          .containsEntry("SlotsQuarantined", 0L)
          .containsEntry("SlotsFenced", 0L)
          .containsEntry("SlotsZeroed", 0L)
          .containsEntry("SlotsKept", 0L)
          .containsEntry("SlotsRecycled", 0L)
          .containsEntry("Commits", 0L)
          .doesNotContainKey("WriteRefused_TOKEN_REFUSED");
    }
  }
}
