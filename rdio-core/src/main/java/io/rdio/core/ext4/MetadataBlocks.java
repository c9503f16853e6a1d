// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;

/**
 * The blocks of a file system as its metadata is read: those of the device, or those of the device
 * under the transactions that the journal has committed. Safe for any number of threads.
 */
public interface MetadataBlocks {
  /** Bytes of a block; a power of two from 1024 to 65536. */
  int blockSize();

  /** Blocks of the file system, at least 1. */
  long blockCount();

  /**
   * One block.
   *
   * @param number from 0; one that is not below {@link #blockCount()} is found in damaged metadata
   *     and refused
   * @return {@link #blockSize()} bytes from index 0, little-endian, which nobody writes to any more
   * @throws Ext4Exception DAMAGED or IO
   */
  ByteBuffer block(long number) throws Ext4Exception;
}
