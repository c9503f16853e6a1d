// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.locate.SmallCluster;
import io.rdio.hdfs.datanode.write.ReplicaByTest;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;

/** Writes blocks to the real DataNodes of a cluster in this JVM, past their data transfer. */
final class ClusterBlocks implements RemoteBlocks {
  /** Whether no block can be begun any more. */
  volatile boolean refuses;

  /** Whether what was begun is lost. */
  volatile boolean dead;

  /** Replicas that are committed, by bits. */
  volatile long bits = -1;

  /** Blocks that were given up. */
  final AtomicInteger aborted = new AtomicInteger();

  private final SmallCluster cluster;
  private final int dataNodes;

  ClusterBlocks(SmallCluster cluster, int dataNodes) {
    this.cluster = cluster;
    this.dataNodes = dataNodes;
  }

  @Override
  public void requireThere() {}

  @Override
  public void requireAnswering() {}

  @Override
  public RemoteBlock open(OpenFile file, LocatedBlock located, long bytes)
      throws FallbackException {
    if (refuses) {
      throw new FallbackException(FallbackReason.AGENT_BUSY, "as the test has it");
    }
    try {
      List<ReplicaByTest> replicas = new ArrayList<>();
      DatanodeInfo[] targets = located.getLocations();
      for (int i = 0; i < targets.length; i++) {
        replicas.add(ReplicaByTest.create(dataNode(targets[i]), located, i, bytes));
      }
      return new InCluster(replicas);
    } catch (Exception e) {
      throw new FallbackException(FallbackReason.INTERNAL_ERROR, "not begun: " + e, e);
    }
  }

  private DataNode dataNode(DatanodeInfo target) {
    for (int i = 0; i < dataNodes; i++) {
      if (cluster.dataNode(i).getXferPort() == target.getXferPort()) {
        return cluster.dataNode(i);
      }
    }
    throw new IllegalArgumentException(target.toString());
  }

  private final class InCluster implements RemoteBlock {
    private final List<ReplicaByTest> replicas;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private @Nullable Boolean committed;

    InCluster(List<ReplicaByTest> replicas) {
      this.replicas = replicas;
    }

    @Override
    public void write(byte[] source, int at, int count) throws FallbackException {
      requireAlive();
      bytes.write(source, at, count);
    }

    private void requireAlive() throws FallbackException {
      if (dead) {
        throw new FallbackException(FallbackReason.AGENT_UNAVAILABLE, "it died");
      }
    }

    @Override
    public long length() {
      return bytes.size();
    }

    @Override
    public long commit() throws FallbackException {
      requireAlive();
      committed = true;
      long done = 0;
      for (int i = 0; i < replicas.size(); i++) {
        if ((bits >> i & 1) == 1) {
          try {
            replicas.get(i).commit(bytes.toByteArray());
            done |= 1L << i;
          } catch (Exception e) {
            throw new FallbackException(FallbackReason.REPLICA_CHANGED, "not committed: " + e, e);
          }
        }
      }
      return done;
    }

    @Override
    public void close() {
      if (committed == null) {
        committed = false;
        aborted.incrementAndGet();
      }
    }
  }
}
