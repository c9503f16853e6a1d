// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.core.block.BlockKey;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * What a cluster is like, and how much of it is simulated in full. Each DataNode has files of
 * {@value #FILE_BLOCKS} blocks; those of a file follow each other by their numbers.
 *
 * @param dataNodes in the cluster
 * @param clients in the cluster: hosts, each with an agent, of which each reads from each DataNode
 * @param blocks of each DataNode
 * @param maps that a client has of each DataNode, rounded down to whole files
 * @param changes a second of each DataNode: maps that a client takes in place of others
 * @param deletions a second on each DataNode, of blocks that are leased
 * @param fullDataNodes those that are simulated in full; they are of the rack that goes away
 * @param fullHosts clients that are simulated in full
 * @param rack DataNodes that go away and come back
 * @param grantNanos how long a request for grants takes a thread of a DataNode
 */
record ClusterLoad(
    int dataNodes,
    int clients,
    int blocks,
    int maps,
    double changes,
    double deletions,
    int fullDataNodes,
    int fullHosts,
    int rack,
    long grantNanos) {
  static final int FILE_BLOCKS = 10;

  private static final String POOL = "BP-1-127.0.0.1-1";
  private static final long GENERATION = 1001;

  /** A cluster of so large a part of the DataNodes, clients and blocks: as busy, but smaller. */
  ClusterLoad part(double share) {
    return new ClusterLoad(
        Math.max(Math.max(rack, fullDataNodes), (int) (dataNodes * share)),
        Math.max(fullHosts + 1, (int) (clients * share)),
        Math.max(2 * FILE_BLOCKS * filesHeld(), (int) (blocks * share)),
        maps,
        changes * share,
        deletions * share,
        fullDataNodes,
        fullHosts,
        rack,
        grantNanos);
  }

  /** Of each DataNode. */
  int files() {
    return blocks / FILE_BLOCKS;
  }

  /** Those of a DataNode of which a client has maps. */
  int filesHeld() {
    return Math.max(1, maps / FILE_BLOCKS);
  }

  /** The number of the first block of a file; those behind it follow. */
  long firstBlock(int dataNode, int file) {
    return ((long) dataNode * files() + file) * FILE_BLOCKS;
  }

  /** The DataNode that has a block. */
  int dataNodeOf(long block) {
    return (int) (block / FILE_BLOCKS / files());
  }

  static BlockKey key(long block) {
    return new BlockKey(POOL, block, GENERATION);
  }

  static String endpoint(int dataNode) {
    return "datanode-" + dataNode;
  }

  static String clientId(int client) {
    return "client-" + client;
  }

  /** Each client has one of its own. */
  static InetAddress address(int client) {
    byte[] bytes = {10, (byte) (client >> 16), (byte) (client >> 8), (byte) client};
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("no address: " + client, e);
    }
  }
}
