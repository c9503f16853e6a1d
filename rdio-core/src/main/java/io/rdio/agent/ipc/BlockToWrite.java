// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.block.ChecksumSpec;
import java.util.List;

/** A stand-in for the lanes' own: a block that is to be written. Immutable. */
public final class BlockToWrite {
  public BlockToWrite(
      String poolId,
      long blockId,
      long generationStamp,
      String file,
      long bytesHint,
      ChecksumSpec.Type checksumType,
      int bytesPerChecksum,
      List<WriteTarget> targets) {}
}
