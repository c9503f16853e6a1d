// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.client.write.StripeLayout;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;

/** The files of a cluster, all of which are erasure-coded. For one thread. */
final class CodedFiles {
  private static final Path ROOT = new Path("/");

  private final Cluster cluster;
  private final StripeLayout layout;
  private final String agentSocket;

  private CodedFiles(Cluster cluster, StripeLayout layout, String agentSocket) {
    this.cluster = cluster;
    this.layout = layout;
    this.agentSocket = agentSocket;
  }

  /** From now on all files that are created are coded by this policy. */
  static CodedFiles of(Cluster cluster, ErasureCodingPolicy policy) throws IOException {
    try (DistributedFileSystem fs = fileSystem(cluster)) {
      fs.enableErasureCodingPolicy(policy.getName());
      fs.setErasureCodingPolicy(ROOT, policy.getName());
    }
    return new CodedFiles(
        cluster,
        new StripeLayout(
            policy.getNumDataUnits(), policy.getNumParityUnits(), policy.getCellSize()),
        RdioConfigKeys.CLIENT_AGENT_SOCKET.get(cluster.clientConf(true)));
  }

  private static DistributedFileSystem fileSystem(Cluster cluster) throws IOException {
    return (DistributedFileSystem) cluster.fileSystem(false);
  }

  /** For {@link #lack}; to be closed by the caller. */
  DistributedFileSystem fileSystem() throws IOException {
    return fileSystem(cluster);
  }

  /** What the agent says now. */
  AgentFigures agent() throws IOException {
    return AgentFigures.of(agentSocket);
  }

  /** What a file lacks of its blocks, as far as the NameNode knows. */
  Optional<String> lack(DistributedFileSystem fs, String file) throws IOException {
    for (LocatedBlock group :
        fs.getClient().getLocatedBlocks(file, 0, Long.MAX_VALUE).getLocatedBlocks()) {
      int has = ((LocatedStripedBlock) group).getBlockIndices().length;
      int wanted = blocks(layout, group.getBlockSize());
      if (has != wanted) {
        return Optional.of(
            group.getBlock() + " of " + file + " has " + has + " of " + wanted + " blocks");
      }
    }
    return Optional.empty();
  }

  /** How many blocks of a group have bytes. */
  static int blocks(StripeLayout layout, long groupBytes) {
    int blocks = 0;
    for (int unit = 0; unit < layout.units(); unit++) {
      blocks += layout.blockBytes(unit, groupBytes) > 0 ? 1 : 0;
    }
    return blocks;
  }
}
