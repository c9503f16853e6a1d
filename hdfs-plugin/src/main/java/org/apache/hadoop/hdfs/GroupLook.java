// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the DataNodes of a file's last group for its replicas, as a reader of an open file does that
 * wants to know its length. For one thread.
 */
final class GroupLook implements Leftovers.Look {
  private static final int PATIENCE_MILLIS = 5_000;

  private final DFSClient client;
  private final String path;
  private final ExtendedBlock group;
  private final ErasureCodingPolicy policy;
  private final Configuration conf;

  /** Those that may be there yet; null before the NameNode has said where. */
  private @Nullable List<LocatedBlock> left;

  GroupLook(DFSClient client, String path, ExtendedBlock group, ErasureCodingPolicy policy) {
    this.client = client;
    this.path = path;
    this.group = group;
    this.policy = policy;
    this.conf = new Configuration(client.getConfiguration());
    // A DataNode that is down is not waited for.
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
    conf.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, PATIENCE_MILLIS);
  }

  @Override
  public boolean isAnyLeft() {
    List<LocatedBlock> asked = left;
    if (asked == null) {
      try {
        asked = located();
      } catch (IOException e) { // such as a writer who may not read
        DFSClient.LOG.debug("RDIO: it is not known where {} is", group, e);
        return true;
      }
      left = asked;
    }
    asked.removeIf(block -> !isThere(block));
    return !asked.isEmpty();
  }

  /** Its blocks, with tokens to ask for them. */
  private List<LocatedBlock> located() throws IOException {
    LocatedBlocks blocks = client.getLocatedBlocks(path, 0);
    LocatedBlock last = blocks == null ? null : blocks.getLastLocatedBlock();
    if (!(last instanceof LocatedStripedBlock)
        || last.getBlock().getBlockId() != group.getBlockId()) {
      throw new IOException(group + " is not the last one of " + path);
    }
    List<LocatedBlock> located = new ArrayList<>();
    for (LocatedBlock block :
        StripedBlockUtil.parseStripedBlockGroup(
            (LocatedStripedBlock) last,
            policy.getCellSize(),
            policy.getNumDataUnits(),
            policy.getNumParityUnits())) {
      if (block != null) {
        located.add(block);
      }
    }
    return located;
  }

  /** False also of a DataNode that cannot be reached: it is nobody's then. */
  private boolean isThere(LocatedBlock block) {
    ClientDatanodeProtocol dataNode = null;
    try {
      dataNode =
          DFSUtilClient.createClientDatanodeProtocolProxy(
              block.getLocations()[0],
              conf,
              PATIENCE_MILLIS,
              client.getConf().isConnectToDnViaHostname(),
              block);
      dataNode.getReplicaVisibleLength(block.getBlock());
      return true;
    } catch (RemoteException e) {
      return !(e.unwrapRemoteException() instanceof ReplicaNotFoundException);
    } catch (IOException e) {
      DFSClient.LOG.debug("RDIO: {} cannot be asked for", block, e);
      return false;
    } finally {
      if (dataNode != null) {
        RPC.stopProxy(dataNode);
      }
    }
  }

  @Override
  public String toString() {
    return "of group "
        + group
        + " of "
        + path
        + " something that was begun may still be on "
        + (left == null ? "its DataNodes" : left);
  }
}
