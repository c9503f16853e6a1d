// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.datanode.allocate.DataNodeWriteRoom;
import io.rdio.datanode.allocate.ReplicaWriter;
import io.rdio.datanode.allocate.WriteConfig;
import io.rdio.datanode.allocate.WriteRoom;
import io.rdio.datanode.allocate.WriteThreads;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.junit.jupiter.api.Test;

final class WriteMetricsTest {
  private static <T> T unused(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              throw new AssertionError(method);
            }));
  }

  @Test
  void slotsAndRefusalsAreThere() {
    try (WriteRoom room =
        new DataNodeWriteRoom(
            WriteConfig.builder().build(),
            unused(ReplicaWriter.class),
            VolumeDevice::identify,
            Fiemap::extents,
            System::nanoTime,
            unused(WriteThreads.class))) {
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
          .containsEntry("SlotsZeroed", 0L)
          .containsEntry("Commits", 0L)
          .doesNotContainKey("WriteRefused_TOKEN_REFUSED");
    }
  }
}
