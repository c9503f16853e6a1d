// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.datanode.allocate.DataNodeWriteRoom;
import io.rdio.datanode.allocate.WriteConfig;
import io.rdio.datanode.allocate.WriteRoom;
import io.rdio.datanode.allocate.WriteThreads;
import io.rdio.datanode.volume.AgentFences;
import io.rdio.hdfs.datanode.dataset.DataNodeReplicas;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;

/** The room of remote writes of one DataNode, assembled. Thread-safe. */
public final class WriteRuntime implements AutoCloseable {
  private final WriteRoom room;
  private final WriteMetrics metrics;

  private WriteRuntime(WriteRoom room) {
    this.room = room;
    this.metrics = new WriteMetrics(room);
  }

  /** What of Hadoop is used here and nowhere else in the plugin, to be looked for before. */
  public static Class<?>[] usersOfHadoop() {
    return new Class<?>[] {HadoopReplicaWriter.class, HadoopRbw.class, WriteStorages.class};
  }

  /**
   * Makes the room. Nothing is done in it before its {@link WriteRoom#upkeep}.
   *
   * @param fences shut hosts of agents out of the volumes' devices
   * @param threads that outlive the room
   */
  public static WriteRuntime start(
      DataNode dataNode,
      DataNodeReplicas replicas,
      WriteConfig config,
      AgentFences fences,
      WriteThreads threads) {
    return new WriteRuntime(
        new DataNodeWriteRoom(
            config,
            new HadoopReplicaWriter(dataNode, replicas),
            new DataNodeWriteRoom.Devices(VolumeDevice::identify, fences),
            Fiemap::extents,
            System::nanoTime,
            threads));
  }

  /** Where slots are lent and blocks are committed. */
  public WriteRoom room() {
    return room;
  }

  /** Adds what is held and was done to the DataNode's metrics. */
  public void addTo(MetricsRecordBuilder record) {
    metrics.addTo(record);
  }

  /** Ends lending. What is lent stays as it is for the next start. */
  @Override
  public void close() {
    room.close();
  }
}
