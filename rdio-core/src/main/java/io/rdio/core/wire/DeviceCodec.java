// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import com.google.protobuf.ByteString;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.Witness;
import java.nio.ByteBuffer;
import java.util.UUID;

/** Devices and their witnesses on the wire. What is read of them is believed only if it adds up. */
public final class DeviceCodec {
  private static final long MAX_DEVICE_BYTES = 1L << 60;
  private static final int UUID_BYTES = 16;
  private static final int SECTOR_BYTES = 512;
  private static final int MAX_NAMES_LENGTH = 1024;

  private DeviceCodec() {}

  /** The message for a device. */
  public static io.rdio.core.wire.proto.DeviceIdentity encode(DeviceIdentity device) {
    return io.rdio.core.wire.proto.DeviceIdentity.newBuilder()
        .setFsType(device.fsType())
        .setFsUuid(bytes(device.fsUuid()))
        .setSizeBytes(device.sizeBytes())
        .setWwid(device.wwid())
        .setPartitionStartBytes(device.partitionStartBytes())
        .setName(device.name())
        .build();
  }

  private static ByteString bytes(UUID uuid) {
    ByteBuffer bytes = ByteBuffer.allocate(UUID_BYTES);
    bytes.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits()).flip();
    return ByteString.copyFrom(bytes);
  }

  /**
   * The device in a message.
   *
   * @throws IllegalArgumentException if there can be no such device, saying what is wrong
   */
  public static DeviceIdentity decode(io.rdio.core.wire.proto.DeviceIdentity device) {
    ByteString uuid = device.getFsUuid();
    Sane.check(uuid.size() == UUID_BYTES, "bytes of the file system's UUID", uuid.size());
    long size = device.getSizeBytes();
    Sane.check(size > 0 && size <= MAX_DEVICE_BYTES, "device size", size);
    long start = device.getPartitionStartBytes();
    Sane.check(start >= 0 && start <= MAX_DEVICE_BYTES, "partition start", start);
    int names = device.getFsType().length() + device.getWwid().length() + device.getName().length();
    Sane.check(names <= MAX_NAMES_LENGTH, "length of the device's names", names);
    ByteBuffer bytes = uuid.asReadOnlyByteBuffer();
    return new DeviceIdentity(
        device.getFsType(),
        new UUID(bytes.getLong(), bytes.getLong()),
        size,
        device.getWwid(),
        start,
        device.getName());
  }

  /** The message for a witness. */
  public static io.rdio.core.wire.proto.Witness encode(Witness witness) {
    return io.rdio.core.wire.proto.Witness.newBuilder()
        .setOffset(witness.offset())
        .setNonce(witness.nonce())
        .setCount(witness.count())
        .build();
  }

  /**
   * The witness in a message.
   *
   * @param device that it must lie on
   * @throws IllegalArgumentException if there can be no such witness, saying what is wrong
   */
  public static Witness decode(io.rdio.core.wire.proto.Witness witness, DeviceIdentity device) {
    long offset = witness.getOffset();
    boolean inside = offset >= 0 && offset <= device.sizeBytes() - Witness.BYTES;
    Sane.check(inside && offset % SECTOR_BYTES == 0, "offset of the witness", offset);
    Sane.check(witness.getCount() >= 1, "count of the witness", witness.getCount());
    return new Witness(offset, witness.getNonce(), witness.getCount());
  }
}
