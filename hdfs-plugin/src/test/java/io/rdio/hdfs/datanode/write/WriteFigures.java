// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import io.rdio.core.FallbackReason;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.datanode.allocate.DataNodeWriteRoom;
import io.rdio.datanode.allocate.ReplicaWriter;
import io.rdio.datanode.allocate.WriteConfig;
import io.rdio.datanode.allocate.WriteRoom;
import io.rdio.datanode.allocate.WriteThreads;
import io.rdio.datanode.volume.NoFences;
import java.lang.reflect.Proxy;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;

/** All that a DataNode's metrics can have of remote writes, for tests of who reads them. */
public final class WriteFigures {
  private WriteFigures() {}

  /** Adds those of a DataNode that refused something for each reason. */
  public static void addTo(MetricsRecordBuilder record) {
    try (WriteRoom room = room()) {
      for (FallbackReason reason : FallbackReason.values()) {
        room.counters().refused(reason); // which is not shown before
      }
      new WriteMetrics(room).addTo(record);
    }
  }

  /** A room without volumes, in which nothing is done. */
  static WriteRoom room() {
    return new DataNodeWriteRoom(
        WriteConfig.builder().build(),
        unused(ReplicaWriter.class),
        new DataNodeWriteRoom.Devices(VolumeDevice::identify, new NoFences()),
        Fiemap::extents,
        System::nanoTime,
        unused(WriteThreads.class));
  }

  private static <T> T unused(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              throw new AssertionError(method);
            }));
  }
}
