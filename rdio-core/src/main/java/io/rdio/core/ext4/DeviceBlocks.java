// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The blocks as they are on the device, each read when it is asked for. */
final class DeviceBlocks implements MetadataBlocks {
  private final AlignedReader reader;
  private final int blockSize;
  private final long blockCount;

  DeviceBlocks(AlignedReader reader, int blockSize, long blockCount) {
    this.reader = reader;
    this.blockSize = blockSize;
    this.blockCount = blockCount;
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  @Override
  public long blockCount() {
    return blockCount;
  }

  @Override
  public ByteBuffer block(long number) throws Ext4Exception {
    if (number < 0 || number >= blockCount) {
      throw Ext4Exception.damaged(number, "is not one of the " + blockCount + " that there are");
    }
    ByteBuffer block = ByteBuffer.allocate(blockSize);
    reader.read(number * blockSize, block);
    return block.flip().order(ByteOrder.LITTLE_ENDIAN);
  }
}
