// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import io.rdio.datanode.allocate.WriteConfig;
import io.rdio.datanode.allocate.WriteRoom;
import io.rdio.hdfs.RdioConfigKeys;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.jspecify.annotations.Nullable;

/** The keys of remote writes on a DataNode, checked. */
public final class WriteKeys {
  private static final String OFF = "off";
  private static final String FENCED = "fenced";
  private static final String ALL = "all";

  private WriteKeys() {}

  /**
   * What remote writes are to keep to, or null where there are none. All keys are looked at in any
   * case, so that a wrong one shows before writes are switched on.
   *
   * @throws IllegalArgumentException that names the key, its value and what is allowed
   */
  public static @Nullable WriteConfig of(Configuration conf) {
    String write = RdioConfigKeys.DATANODE_WRITE.get(conf);
    WriteConfig config =
        WriteConfig.builder()
            .fencing(write.equals(FENCED) ? WriteConfig.Fencing.DEMANDED : WriteConfig.Fencing.NONE)
            .verify(
                RdioConfigKeys.DATANODE_WRITE_VERIFY.get(conf).equals(ALL)
                    ? WriteConfig.Verify.ALL
                    : WriteConfig.Verify.SAMPLE)
            .leaseMillis(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.get(conf).toMillis())
            .ioMillis(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.get(conf).toMillis())
            .poolBytes(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.get(conf))
            .blockBytes(blockBytes(conf))
            .recycles(RdioConfigKeys.DATANODE_WRITE_RECYCLE.get(conf))
            .build();
    return write.equals(OFF) ? null : config;
  }

  /** Hadoop's own key, which may have any value: larger blocks are stock's to write. */
  private static long blockBytes(Configuration conf) {
    long bytes =
        conf.getLongBytes(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, DFSConfigKeys.DFS_BLOCK_SIZE_DEFAULT);
    return Math.max(1 << 20, Math.min(WriteRoom.BLOCK_MAX, bytes));
  }
}
