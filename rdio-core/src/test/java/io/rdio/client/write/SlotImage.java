// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.write.SlotStamp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.UUID;

/** A volume's device as a file: bytes by chance, and at its start the superblock of an ext4. */
final class SlotImage {
  private static final int SUPERBLOCK_AT = 1024;
  private static final short MAGIC = (short) 0xEF53;

  /** What it should hold, byte for byte. */
  final byte[] model;

  final Path file;
  final DeviceIdentity identity;
  final DevicePlace place;

  /**
   * @param start where the volume starts in the file, as a partition does on a disk
   */
  SlotImage(Path file, int start, int bytes, Random random) throws IOException {
    this.file = file;
    UUID uuid = new UUID(random.nextLong(), random.nextLong());
    this.identity = new DeviceIdentity("ext4", uuid, bytes, "", start, file.toString());
    this.place = new DevicePlace(file, start);
    this.model = new byte[start + bytes];
    random.nextBytes(model);
    ByteBuffer superblock =
        ByteBuffer.wrap(model, start + SUPERBLOCK_AT, 1024).slice().order(ByteOrder.LITTLE_ENDIAN);
    superblock.put(new byte[1024]);
    superblock.putInt(0x4, bytes / 1024).putShort(0x38, MAGIC);
    superblock.order(ByteOrder.BIG_ENDIAN);
    superblock.putLong(0x68, uuid.getMostSignificantBits());
    superblock.putLong(0x70, uuid.getLeastSignificantBits());
    save();
  }

  /** Makes the file what the model is. */
  void save() throws IOException {
    Files.write(file, model);
  }

  byte[] read() throws IOException {
    return Files.readAllBytes(file);
  }

  /** Where in the file a slot has a byte. */
  int place(ExtentList extents, long offset) {
    return (int) (place.startBytes() + MemorySlotDevice.place(extents, offset));
  }

  void stamp(ExtentList extents, long slot, long nonce, int unit) {
    for (int i = 0; i < extents.count(); i++) {
      int at = place(extents, extents.start(i));
      new SlotStamp(slot, nonce, i, unit).encode(ByteBuffer.wrap(model).position(at));
    }
  }
}
