// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.agent.ipc.GroupStripes;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import io.rdio.hdfs.client.locate.SmallCluster;
import io.rdio.hdfs.datanode.write.ReplicaByTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.jspecify.annotations.Nullable;

/**
 * Writes blocks, and groups of erasure-coded ones, to the real DataNodes of a cluster in this JVM,
 * past their data transfer.
 */
final class ClusterBlocks implements RemoteBlocks {
  /** Of its groups. */
  static final ErasureCodingPolicy POLICY =
      SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.RS_3_2_POLICY_ID);

  /** Whether no block can be begun any more. */
  volatile boolean refuses;

  /**
   * How many blocks are refused yet for their first target, when all others have begun them; what
   * these have begun of a group goes a moment later.
   */
  final AtomicInteger refusedTargets = new AtomicInteger();

  /** Of how many groups nobody hears any more when all have begun them; it goes as well. */
  final AtomicInteger lostGroups = new AtomicInteger();

  /** Whether what was begun is lost. */
  volatile boolean dead;

  /** Replicas that are committed, by bits. */
  volatile long bits = -1;

  /** Blocks that were to be begun. */
  final List<Long> asked = new CopyOnWriteArrayList<>();

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
    asked.add(located.getBlock().getBlockId());
    GroupStripes stripes = file.stripes();
    boolean isRefused = refusedTargets.getAndDecrement() > 0;
    try {
      List<ReplicaByTest> replicas = new ArrayList<>();
      DatanodeInfo[] targets = located.getLocations();
      for (int i = isRefused ? 1 : 0; i < targets.length; i++) {
        replicas.add(
            stripes == null
                ? ReplicaByTest.create(dataNode(targets[i]), located, i, bytes)
                : ofGroup((LocatedStripedBlock) located, i, stripes.inStripes(bytes)));
      }
      boolean isLost = stripes != null && lostGroups.getAndDecrement() > 0;
      if (stripes != null && (isRefused || isLost)) {
        removeSoon(replicas);
      }
      if (isLost) {
        throw new FallbackException(FallbackReason.AGENT_UNAVAILABLE, "it dies");
      }
      if (isRefused) {
        throw new TargetRefusedException(0, FallbackReason.SLOTS_EXHAUSTED, "as the test has it");
      }
      return new InCluster(replicas, stripes != null);
    } catch (FallbackException e) {
      throw e;
    } catch (Exception e) {
      throw new FallbackException(FallbackReason.INTERNAL_ERROR, "not begun: " + e, e);
    }
  }

  /** As by the agent's Abort, which nobody waits for. */
  private static void removeSoon(List<ReplicaByTest> replicas) {
    Thread removing =
        new Thread(
            () -> {
              for (ReplicaByTest replica : replicas) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                try {
                  replica.abort();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }
            },
            "abort");
    removing.start();
  }

  private ReplicaByTest ofGroup(LocatedStripedBlock group, int number, long bytes)
      throws Exception {
    LocatedBlock[] blocks =
        StripedBlockUtil.parseStripedBlockGroup(
            group, POLICY.getCellSize(), POLICY.getNumDataUnits(), POLICY.getNumParityUnits());
    LocatedBlock own = blocks[number];
    long ofEach = bytes / POLICY.getNumDataUnits();
    return ReplicaByTest.create(dataNode(own.getLocations()[0]), own, 0, ofEach);
  }

  /** What each block of a group has, byte by byte as HDFS lays it out. */
  private static List<byte[]> laidOut(byte[] content) throws IOException {
    int data = POLICY.getNumDataUnits();
    int cell = POLICY.getCellSize();
    long longest = StripedBlockUtil.getInternalBlockLength(content.length, cell, data, 0);
    byte[][] cells = new byte[data][(int) longest];
    byte[][] parity = new byte[POLICY.getNumParityUnits()][(int) longest];
    for (int at = 0; at < content.length; at++) {
      cells[at / cell % data][at / cell / data * cell + at % cell] = content[at];
    }
    CodecUtil.createRawEncoder(
            new Configuration(false),
            POLICY.getCodecName(),
            new ErasureCoderOptions(data, parity.length))
        .encode(cells, parity);
    List<byte[]> all = new ArrayList<>();
    for (int i = 0; i < data; i++) {
      long length = StripedBlockUtil.getInternalBlockLength(content.length, cell, data, i);
      all.add(Arrays.copyOf(cells[i], (int) length));
    }
    all.addAll(Arrays.asList(parity));
    return all;
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
    private final boolean isGroup;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private @Nullable Boolean committed;

    InCluster(List<ReplicaByTest> replicas, boolean isGroup) {
      this.replicas = replicas;
      this.isGroup = isGroup;
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
    public long commit(int needed) throws FallbackException {
      requireAlive();
      committed = true;
      try {
        byte[] content = bytes.toByteArray();
        List<byte[]> each =
            isGroup ? laidOut(content) : Collections.nCopies(replicas.size(), content);
        for (int i = 0; i < replicas.size(); i++) {
          if (each.get(i).length == 0) {
            replicas.get(i).abort();
          } else if ((bits >> i & 1) == 1) {
            replicas.get(i).commit(each.get(i));
          }
        }
        return bits & ((1L << replicas.size()) - 1);
      } catch (Exception e) {
        throw new FallbackException(FallbackReason.REPLICA_CHANGED, "not committed: " + e, e);
      }
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
