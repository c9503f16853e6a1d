// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.agent.ipc.GroupStripes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/** A file at a NameNode that has so many DataNodes, each with a number. */
final class FakeFile implements OpenFile {
  static final String PATH = "/written/file";

  /** Blocks that were added and not abandoned, with the lengths that the NameNode was told. */
  final List<ExtendedBlock> blocks = new ArrayList<>();

  int added;
  int abandoned;
  int awaited;
  int ticks;
  StorageType storage = StorageType.DISK;
  @Nullable IOException refusal;
  @Nullable GroupStripes stripes;

  private final int blockBytes;
  private final int replication;
  private final List<DatanodeInfo> dataNodes = new ArrayList<>();

  FakeFile(int blockBytes, int replication, int dataNodes) {
    this.blockBytes = blockBytes;
    this.replication = replication;
    for (int i = 0; i < dataNodes; i++) {
      DatanodeID id = new DatanodeID("10.0.0." + i, "dn" + i, "uuid" + i, 9866, 9864, 9865, 9867);
      this.dataNodes.add(new DatanodeInfoBuilder().setNodeID(id).build());
    }
  }

  /** The number of a DataNode. */
  static int number(DatanodeInfo dataNode) {
    return Integer.parseInt(dataNode.getHostName().substring("dn".length()));
  }

  @Override
  public String path() {
    return PATH;
  }

  @Override
  public long blockBytes() {
    return blockBytes;
  }

  @Override
  public @Nullable GroupStripes stripes() {
    return stripes;
  }

  @Override
  public int replication() {
    return replication;
  }

  @Override
  public DataChecksum checksum() {
    return DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
  }

  @Override
  public LocatedBlock addBlock(@Nullable ExtendedBlock previous, DatanodeInfo[] excluded)
      throws IOException {
    if (refusal != null) {
      throw refusal;
    }
    if (previous == null ? !blocks.isEmpty() : !previous.equals(last())) {
      throw new AssertionError(previous + " is not the last one of " + blocks);
    }
    if (previous != null) {
      last().setNumBytes(previous.getNumBytes());
    }
    List<DatanodeInfo> left = new ArrayList<>(dataNodes);
    left.removeAll(Arrays.asList(excluded));
    if (left.isEmpty()) {
      throw new IOException("could only be written to 0 of the 1 minReplication nodes");
    }
    DatanodeInfo[] targets =
        left.subList(0, Math.min(replication, left.size())).toArray(new DatanodeInfo[0]);
    ExtendedBlock block = new ExtendedBlock("BP-1", 100 + added++, 0, 7);
    blocks.add(block);
    String[] storages = new String[targets.length];
    Arrays.fill(storages, "DS-1");
    StorageType[] types = new StorageType[targets.length];
    Arrays.fill(types, storage);
    return new LocatedBlock(new ExtendedBlock(block), targets, storages, types);
  }

  private ExtendedBlock last() {
    return blocks.get(blocks.size() - 1);
  }

  @Override
  public void abandon(ExtendedBlock block) {
    if (!block.equals(last())) {
      throw new AssertionError(block + " is not the last one of " + blocks);
    }
    blocks.remove(blocks.size() - 1);
    abandoned++;
  }

  @Override
  public void awaitRemoval(LocatedBlock group) {
    if (stripes == null || !group.getBlock().equals(last())) {
      throw new AssertionError(group + " is not the last group of " + blocks);
    }
    awaited++;
  }

  @Override
  public void tick() {
    ticks++;
  }
}
