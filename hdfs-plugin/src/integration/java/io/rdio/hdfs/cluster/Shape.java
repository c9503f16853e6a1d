// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.io.IOException;

/**
 * What a cluster that test classes share is like. All write blocks of 1 MiB unless a client's
 * configuration says otherwise, and delete within seconds.
 */
public enum Shape {
  /** One DataNode with leases as by default. */
  PLAIN_EXT4("ext4", 1) {
    @Override
    ClusterBuilder with(ClusterBuilder builder) {
      return builder.volumeBytes(512L << 20).set(RECALL_CHECK, "200ms");
    }
  },

  /** As {@link #PLAIN_EXT4}. */
  PLAIN_XFS("xfs", 1) {
    @Override
    ClusterBuilder with(ClusterBuilder builder) {
      return PLAIN_EXT4.with(builder);
    }
  },

  /** One DataNode with leases as by default that never looks for what it should recall. */
  UNRECALLED_EXT4("ext4", 1) {
    @Override
    ClusterBuilder with(ClusterBuilder builder) {
      return builder.volumeBytes(400L << 20).set(RECALL_CHECK, "1h");
    }
  },

  /** As {@link #UNRECALLED_EXT4}. */
  UNRECALLED_XFS("xfs", 1) {
    @Override
    ClusterBuilder with(ClusterBuilder builder) {
      return UNRECALLED_EXT4.with(builder);
    }
  },

  /** One DataNode with leases of six seconds. */
  SHORT_EXT4("ext4", 1) {
    @Override
    ClusterBuilder with(ClusterBuilder builder) {
      return builder
          .volumeBytes(400L << 20)
          .set(RECALL_CHECK, "200ms")
          .set("dfs.datanode.rdio.lease.duration", "6s")
          .set("dfs.datanode.rdio.io.time.max", "1s")
          .set("dfs.client.rdio.lease.margin", "500ms")
          .set("dfs.client.retry.window.base", "10"); // reads of blocks that are gone are many
    }
  },

  /** As {@link #SHORT_EXT4}. */
  SHORT_XFS("xfs", 1) {
    @Override
    ClusterBuilder with(ClusterBuilder builder) {
      return SHORT_EXT4.with(builder);
    }
  },

  /** Two DataNodes with leases of six seconds, which both have each block. */
  SHORT_TWO_NODES("ext4", 2) {
    @Override
    ClusterBuilder with(ClusterBuilder builder) {
      return SHORT_EXT4.with(builder);
    }
  };

  private static final String RECALL_CHECK = "dfs.datanode.rdio.recall.check.interval";

  final String fileSystem;
  final int dataNodes;

  Shape(String fileSystem, int dataNodes) {
    this.fileSystem = fileSystem;
    this.dataNodes = dataNodes;
  }

  /** {@link #PLAIN_EXT4} or its twin. */
  public static Shape plain(String fileSystem) {
    return fileSystem.equals("xfs") ? PLAIN_XFS : PLAIN_EXT4;
  }

  /** {@link #UNRECALLED_EXT4} or its twin. */
  public static Shape unrecalled(String fileSystem) {
    return fileSystem.equals("xfs") ? UNRECALLED_XFS : UNRECALLED_EXT4;
  }

  /** {@link #SHORT_EXT4} or its twin. */
  public static Shape ofShortLeases(String fileSystem) {
    return fileSystem.equals("xfs") ? SHORT_XFS : SHORT_EXT4;
  }

  abstract ClusterBuilder with(ClusterBuilder builder);

  /** A cluster of this shape that nobody else uses; for the caller to change, start and close. */
  public ClusterBuilder builder() throws IOException {
    return with(
        TestClusters.builder()
            .fileSystem(fileSystem)
            .dataNodes(dataNodes)
            .set("dfs.blocksize", Integer.toString(1 << 20))
            .set("dfs.namenode.fs-limits.min-block-size", "0")
            .set("dfs.namenode.redundancy.interval.seconds", "1s"));
  }
}
