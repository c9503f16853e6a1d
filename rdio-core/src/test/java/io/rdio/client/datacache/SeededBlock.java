// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.GrantOrigin;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import java.nio.ByteBuffer;
import java.util.UUID;

/** A version of a block whose bytes follow from its id, generation stamp and their offset. */
record SeededBlock(long id, long generationStamp, long length) {
  BlockKey key() {
    return new BlockKey("BP-1-127.0.0.1-1", id, generationStamp);
  }

  FileMap map(Lease lease) {
    return new FileMap(
        key(),
        new GrantOrigin(
            "datanode:9860",
            2,
            "DS-1",
            new DeviceIdentity("ext4", new UUID(1, 2), 1 << 20, "", 0, "/dev/x"),
            0,
            1,
            new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7)),
        length,
        ExtentList.EMPTY,
        ExtentList.EMPTY,
        lease);
  }

  byte at(long offset) {
    long x = (id * 31 + generationStamp) * 0x9E3779B97F4A7C15L + offset * 0xBF58476D1CE4E5B9L;
    return (byte) (x >>> 56 ^ x >>> 29);
  }

  /** A {@link BlockDataCache.Source}. */
  int copy(long offset, ByteBuffer to, int at, int count) {
    for (int i = 0; i < count; i++) {
      to.put(at + i, at(offset + i));
    }
    return count;
  }

  /** Index of the first of the bytes that is not the block's from an offset on; -1 if none. */
  int firstWrong(long offset, byte[] got, int count) {
    for (int i = 0; i < count; i++) {
      if (got[i] != at(offset + i)) {
        return i;
      }
    }
    return -1;
  }
}
