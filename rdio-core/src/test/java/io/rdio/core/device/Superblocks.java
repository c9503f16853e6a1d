// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.zip.CRC32C;

/** The first 64 KiB of devices as mkfs leaves them, as far as a superblock parser cares. */
final class Superblocks {
  static final int METADATA_CSUM = 0x400;

  private Superblocks() {}

  static ByteBuffer ext4(UUID uuid, int blocks, int logBlockSize, int incompat, int roCompat) {
    ByteBuffer device = ByteBuffer.allocate(Superblock.PROBE_BYTES);
    ByteBuffer sb = device.slice(1024, 1024).order(ByteOrder.LITTLE_ENDIAN);
    sb.putInt(0x4, blocks).putInt(0x18, logBlockSize).putShort(0x38, (short) 0xEF53);
    sb.putInt(0x60, incompat).putInt(0x64, roCompat);
    putUuid(sb, 0x68, uuid);
    CRC32C crc = new CRC32C();
    crc.update(sb.slice(0, 0x3FC));
    sb.putInt(0x3FC, ~(int) crc.getValue());
    return device.order(ByteOrder.LITTLE_ENDIAN);
  }

  static ByteBuffer xfs(UUID uuid, long blocks, int blockSize, int sectorSize) {
    ByteBuffer sb = ByteBuffer.allocate(Superblock.PROBE_BYTES);
    sb.putInt(0, 0x58465342).putInt(4, blockSize).putLong(8, blocks);
    sb.putShort(100, (short) 0xB4B5).putShort(102, (short) sectorSize);
    putUuid(sb, 32, uuid);
    CRC32C crc = new CRC32C();
    crc.update(sb.slice(0, sectorSize));
    sb.putInt(224, Integer.reverseBytes((int) crc.getValue()));
    return sb;
  }

  private static void putUuid(ByteBuffer target, int at, UUID uuid) {
    ByteBuffer raw = target.slice(at, 16).order(ByteOrder.BIG_ENDIAN);
    raw.putLong(0, uuid.getMostSignificantBits()).putLong(8, uuid.getLeastSignificantBits());
  }
}
