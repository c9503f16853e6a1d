// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import io.rdio.agent.daemon.WriteRights;
import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.hdfs.client.namenode.NameNodes;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the NameNode which DataNodes it chose for the block that is being written of a file. Asks it
 * as the agent, who must have the right to read the file. Thread-safe.
 */
final class ChosenTargets implements WriteRights {
  /** The last blocks of files, as a NameNode knows them. */
  @FunctionalInterface
  interface LastBlocks {
    /** Null if there is no such file. */
    @Nullable LocatedBlocks of(URI nameservice, String file) throws IOException;
  }

  private final NameNodes nameNodes;
  private final LastBlocks lastBlocks;

  ChosenTargets(NameNodes nameNodes) {
    this(
        nameNodes,
        (nameservice, file) -> nameNodes.impatient(nameservice).getLocatedBlocks(file, 0, 1));
  }

  ChosenTargets(NameNodes nameNodes, LastBlocks lastBlocks) {
    this.nameNodes = nameNodes;
    this.lastBlocks = lastBlocks;
  }

  @Override
  public void check(BlockKey block, String file, List<DataNodeId> targets)
      throws FallbackException {
    DatanodeInfo[] chosen = chosen(block, file).getLocations();
    for (DataNodeId target : targets) {
      if (!isAmong(chosen, target)) {
        throw new FallbackException(
            FallbackReason.WRITE_UNSUPPORTED,
            target + " is none of the DataNodes that the NameNode chose for " + block);
      }
    }
  }

  private LocatedBlock chosen(BlockKey block, String file) throws FallbackException {
    List<String> asked = new ArrayList<>();
    for (URI nameservice : all(block.poolId())) {
      try {
        LocatedBlock last = underConstruction(lastBlocks.of(nameservice, file));
        if (last != null && isThis(last.getBlock(), block)) {
          nameNodes.has(nameservice, block.poolId());
          if (last.getLocations().length > 0) {
            return last;
          }
          // The one that chose tells no other, which may have its place by now.
          asked.add(nameservice + " (another NameNode chose)");
        } else {
          asked.add(nameservice + " (it is not being written)");
        }
      } catch (IOException e) {
        asked.add(nameservice + " (" + why(e) + ")");
      }
    }
    throw new FallbackException(
        FallbackReason.LOCATION_UNKNOWN, block + " of " + file + "; asked: " + asked);
  }

  /** The NameNode's words without its stack, and what helps. */
  private static String why(IOException refusal) {
    String said = String.valueOf(refusal.getMessage()).lines().findFirst().orElse("");
    return refusal instanceof AccessControlException
        ? said + ": this agent may not read the file; run it as a superuser of HDFS"
        : said;
  }

  /** Most likely first. */
  private List<URI> all(String poolId) {
    List<URI> all = new ArrayList<>(nameNodes.candidates(poolId));
    all.addAll(nameNodes.others(poolId));
    return all;
  }

  private static @Nullable LocatedBlock underConstruction(@Nullable LocatedBlocks blocks) {
    return blocks == null || blocks.isLastBlockComplete() ? null : blocks.getLastLocatedBlock();
  }

  private static boolean isThis(ExtendedBlock found, BlockKey block) {
    return found.getBlockPoolId().equals(block.poolId())
        && found.getBlockId() == block.blockId()
        && found.getGenerationStamp() == block.generationStamp();
  }

  private static boolean isAmong(DatanodeInfo[] chosen, DataNodeId target) {
    for (DatanodeInfo dataNode : chosen) {
      boolean isHost =
          target.host().equals(dataNode.getIpAddr())
              || target.host().equals(dataNode.getHostName());
      if (isHost
          && target.transferPort() == dataNode.getXferPort()
          && target.infoPort() == dataNode.getInfoPort()) {
        return true;
      }
    }
    return false;
  }
}
