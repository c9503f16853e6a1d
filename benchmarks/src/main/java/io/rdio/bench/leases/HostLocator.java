// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.client.filemap.BlockLocation;
import io.rdio.client.filemap.BlockLocator;
import io.rdio.client.filemap.ReplicaLocation;
import io.rdio.client.plane.DataNodeId;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a host knows of where blocks are, and the only way by which what is simulated here could
 * come to ask the NameNode: it counts what it is asked. It knows the locations that HDFS was given
 * when the file was opened, as the recording failover proxy provider does, so a NameNode is asked
 * for those only that were forgotten since because a DataNode did not have the block. For one
 * thread at a time.
 */
final class HostLocator implements BlockLocator {
  private static final String STORAGE_ID = "DS-1";

  private final ClusterLoad load;
  private final Set<BlockKey> forgotten = new HashSet<>();
  private long questions;
  private long nameNodeCalls;

  HostLocator(ClusterLoad load) {
    this.load = load;
  }

  @Override
  public List<BlockLocation> locate(BlockRequest request) {
    questions++;
    nameNodeCalls += forgotten.remove(request.block()) ? 1 : 0;
    long block = request.block().blockId();
    DataNodeId holder = new DataNodeId(ClusterLoad.endpoint(load.dataNodeOf(block)), 0, 0);
    List<ReplicaLocation> replicas = List.of(new ReplicaLocation(holder, STORAGE_ID));
    long end = (block / ClusterLoad.FILE_BLOCKS + 1) * ClusterLoad.FILE_BLOCKS;
    List<BlockLocation> file = new ArrayList<>();
    for (long next = block; next < end; next++) {
      file.add(new BlockLocation(new TokenedBlock(ClusterLoad.key(next)), replicas));
    }
    return file;
  }

  /** Null: readers here say themselves when they go on to the next block. */
  @Override
  public @Nullable BlockLocation following(BlockKey block) {
    return null;
  }

  @Override
  public void forget(BlockKey block) {
    forgotten.add(block);
  }

  /** How often the real code asked where a block is. */
  long questions() {
    return questions;
  }

  /** How often a NameNode would have been asked for that. */
  long nameNodeCalls() {
    return nameNodeCalls;
  }
}
