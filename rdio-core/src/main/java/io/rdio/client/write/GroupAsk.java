// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.wire.SlotAsk;
import java.util.List;

/**
 * A group of erasure-coded blocks that is to be written. Immutable.
 *
 * @param group its own id, which is that of its first block
 * @param codec name of the code in HDFS's policies
 * @param targets one for each block, in the order of their numbers
 * @param bytes data that it will have at most: whole cells for each data block
 */
public record GroupAsk(
    BlockKey group,
    StripeLayout layout,
    String codec,
    ParityMode parity,
    List<GroupWriter.Target> targets,
    long bytes,
    ChecksumSpec.Type checksum,
    int bytesPerChecksum) {
  /**
   * @throws IllegalArgumentException if a value is out of the range that it has here, or in {@link
   *     SlotAsk}
   */
  public GroupAsk {
    targets = List.copyOf(targets);
    boolean isSane =
        targets.size() == layout.units()
            && group.isOfGroup(group.blockId())
            && bytes > 0
            && bytes % layout.stripeBytes() == 0
            && bytesPerChecksum > 0
            && layout.cellBytes() % bytesPerChecksum == 0;
    if (!isSane) {
      throw new IllegalArgumentException(
          group + " of " + bytes + " bytes to " + targets.size() + " targets by " + layout);
    }
    long ofEach = bytes / layout.dataUnits();
    for (GroupWriter.Target target : targets) {
      new SlotAsk(group, target.storageId(), ofEach, checksum, bytesPerChecksum, 0);
    }
  }

  /** What is asked for of a block's target. */
  SlotAsk slot(int unit) {
    BlockKey block = new BlockKey(group.poolId(), group.blockId() + unit, group.generationStamp());
    return new SlotAsk(
        block, targets.get(unit).storageId(), blockBytes(), checksum, bytesPerChecksum, 0);
  }

  /** Bytes that each block will have at most. */
  long blockBytes() {
    return bytes / layout.dataUnits();
  }
}
