// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RdioFileSystem;
import java.util.HashMap;
import java.util.Map;

/** What a cluster and its clients are set to where RDIO writes. */
public final class RemoteWrites {
  /**
   * Between two upkeeps of a DataNode, in each of which it makes a few slots: a pass takes dozens
   * or hundreds, and the next one waits for all of them.
   */
  private static final String UPKEEP_INTERVAL = "200ms";

  private RemoteWrites() {}

  /**
   * Keys of daemons and agents.
   *
   * @param blockBytes of a full block, and so of the largest slots
   * @param poolBytes of the slots that each DataNode keeps free
   */
  public static Map<String, String> clusterKeys(long blockBytes, long poolBytes) {
    return Map.of(
        "dfs.block.access.token.enable", // nothing is written for whom nobody vouches
        "true",
        "dfs.blocksize",
        Long.toString(blockBytes),
        "dfs.namenode.redundancy.interval.seconds", // in which it has blocks removed
        "1",
        RdioConfigKeys.CLIENT_AGENT_WRITE.name(),
        "on",
        RdioConfigKeys.DATANODE_WRITE.name(),
        "on",
        RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(),
        Long.toString(poolBytes),
        RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), // the room of what is removed is wanted
        "1s");
  }

  /** The same where a pass writes many small files: slots are made more often. */
  public static Map<String, String> manyFilesKeys(long blockBytes, long poolBytes) {
    Map<String, String> keys = new HashMap<>(clusterKeys(blockBytes, poolBytes));
    keys.put(RdioConfigKeys.DATANODE_RECALL_CHECK_INTERVAL.name(), UPKEEP_INTERVAL);
    return keys;
  }

  /**
   * Keys of clients that write by the agent.
   *
   * @param smallBytes below which a file is stock HDFS's
   */
  public static Map<String, String> clientKeys(long smallBytes) {
    return Map.of(
        "fs.hdfs.impl",
        RdioFileSystem.class.getName(),
        RdioConfigKeys.CLIENT_WRITE.name(),
        "auto",
        RdioConfigKeys.CLIENT_WRITE_SMALL.name(),
        Long.toString(smallBytes));
  }
}
