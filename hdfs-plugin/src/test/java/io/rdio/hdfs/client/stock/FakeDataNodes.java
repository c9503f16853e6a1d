// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.stock;

import io.rdio.core.block.BlockRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ReadOption;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.shortcircuit.ClientMmap;
import org.apache.hadoop.util.DataChecksum;

/** A NameNode's and its DataNodes' answers for one block; each open and each locate is recorded. */
public final class FakeDataNodes implements StockBlockSource, StockReplicaReader.Opener {
  public static final int DISTANCE = 4;
  private static final int PACKET = 1000;

  /** What a DataNode does when it comes to an offset. */
  public interface Fault {
    void at(int replica, long offset) throws IOException;
  }

  public final List<String> calls = new ArrayList<>();
  final byte[] bytes;
  private final int replicas;
  public Fault onOpen = (replica, offset) -> {};
  public Fault onPacket = (replica, offset) -> {};
  Fault onReport = (replica, offset) -> {};
  public int openReaders;

  public FakeDataNodes(byte[] bytes, int replicas) {
    this.bytes = bytes;
    this.replicas = replicas;
  }

  @Override
  public DFSClient client() throws IOException {
    throw new IOException("no cluster here");
  }

  @Override
  public void reportCorrupt(ExtendedBlock block, DatanodeInfo... dataNodes) throws IOException {
    for (DatanodeInfo dataNode : dataNodes) {
      calls.add("corrupt " + block.getBlockId() + " on " + dataNode.getDatanodeUuid());
    }
    onReport.at(0, 0);
  }

  @Override
  public Configuration configuration() {
    return new Configuration(false);
  }

  @Override
  public StockReplicaReader.Opener opener(String fileName, boolean verifyChecksum) {
    return this;
  }

  @Override
  public LocatedBlock locate(BlockRequest request, boolean fresh) {
    calls.add(fresh ? "refresh" : "locate");
    DatanodeInfo[] nodes = new DatanodeInfo[replicas];
    for (int i = 0; i < replicas; i++) {
      DatanodeID id = new DatanodeID("127.0.0.1", "localhost", "uuid" + i, 1 + i, 2, 3, 4);
      nodes[i] = new DatanodeInfoBuilder().setNodeID(id).build();
    }
    ExtendedBlock block =
        new ExtendedBlock(
            request.block().poolId(),
            request.block().blockId(),
            bytes.length,
            request.block().generationStamp());
    return new LocatedBlock(block, nodes);
  }

  @Override
  public BlockReader open(LocatedBlock block, int replica, long offset, long length)
      throws IOException {
    calls.add("open " + replica + " " + offset + "+" + length);
    if (block.getLocations()[replica] == null) {
      throw new AssertionError("no such replica");
    }
    onOpen.at(replica, offset);
    openReaders++;
    return new Reader(replica, (int) offset, (int) (offset + length));
  }

  @Override
  public void forgetEncryptionKey() {
    calls.add("forget key");
  }

  private final class Reader implements BlockReader {
    private final int replica;
    private final int end;
    private int offset;
    private boolean closed;

    Reader(int replica, int offset, int end) {
      this.replica = replica;
      this.offset = offset;
      this.end = end;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
      if (closed) {
        throw new AssertionError("read after close");
      }
      onPacket.at(replica, offset);
      int count = Math.min(Math.min(PACKET, end - offset), target.remaining());
      if (count == 0) {
        return -1;
      }
      target.put(bytes, offset, count);
      offset += count;
      return count;
    }

    @Override
    public void close() {
      if (!closed) {
        openReaders--;
      }
      closed = true;
    }

    @Override
    public int getNetworkDistance() {
      return DISTANCE;
    }

    @Override
    public int read(byte[] target, int at, int length) throws IOException {
      return read(ByteBuffer.wrap(target, at, length));
    }

    @Override
    public long skip(long count) throws IOException {
      calls.add("skip " + replica + " " + count);
      onPacket.at(replica, offset);
      offset += (int) count;
      return count;
    }

    @Override
    public int available() {
      return end - offset;
    }

    @Override
    public void readFully(byte[] target, int at, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int readAll(byte[] target, int at, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isShortCircuit() {
      return false;
    }

    @Override
    public ClientMmap getClientMmap(EnumSet<ReadOption> options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public DataChecksum getDataChecksum() {
      throw new UnsupportedOperationException();
    }
  }
}
