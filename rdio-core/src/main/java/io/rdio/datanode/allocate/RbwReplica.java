// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.block.BlockKey;
import io.rdio.datanode.volume.Storage;
import java.nio.file.Path;

/**
 * The handle of a replica being written (RBW) that {@link ReplicaWriter#create} made: it stands for
 * that very object of HDFS's replica map, not for its block's number. Immutable; known by identity.
 */
public interface RbwReplica {
  /** Block and generation stamp that it was made with. */
  BlockKey block();

  /** The volume that it lies on, which need not be the one asked for. */
  Storage storage();

  /** {@code rbw/blk_N}: a file of 0 bytes until the commit renames the slot over it. */
  Path blockFile();

  /** Its meta file beside it; has its header, and no checksum, until the commit. */
  Path metaFile();
}
