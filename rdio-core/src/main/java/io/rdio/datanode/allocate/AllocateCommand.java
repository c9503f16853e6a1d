// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.datanode.grant.Holder;

/**
 * What a client asks for: a slot for one replica of one block.
 *
 * @param holder who is to hold the lease
 * @param tokened the block with a token of mode WRITE; what must be proved of it was proved
 * @param storageId of the volume that the NameNode chose, or "" for the DataNode's own choice
 * @param bytes that the slot has to hold, 1 to {@link WriteRoom#BLOCK_MAX}; Commit names no more
 * @param checksumType of the CRCs that Commit will bring
 * @param bytesPerChecksum chunk size of those
 * @param hostKey by which the agent's host may be registered with the device (W8): the name of the
 *     agent's process, which begins all keys of it; 0 if it registers with none
 */
public record AllocateCommand(
    Holder holder,
    TokenedBlock tokened,
    String storageId,
    long bytes,
    ChecksumSpec.Type checksumType,
    int bytesPerChecksum,
    long hostKey) {

  /**
   * A command.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public AllocateCommand {
    if (bytes < 1 || bytes > WriteRoom.BLOCK_MAX) {
      throw new IllegalArgumentException(
          "slot of " + bytes + " bytes is not in 1.." + WriteRoom.BLOCK_MAX);
    }
    if (bytesPerChecksum < 1) {
      throw new IllegalArgumentException(bytesPerChecksum + " bytes per checksum, not 1 or more");
    }
  }

  /** Which block. */
  public BlockKey block() {
    return tokened.block();
  }
}
