// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Reads the superblock of an open device and compares it with what a DataNode says of it. */
final class DeviceProbe {
  /**
   * A mounted file system writes its superblock now and then, and a read may meet it half-way: one
   * whose checksum is wrong is read again this often before it is believed to be damaged.
   */
  private static final int ATTEMPTS = 3;

  private static final int BUFFER_ALIGNMENT = 4096;

  private DeviceProbe() {}

  /**
   * The file system on a device, if there is one that RDIO knows.
   *
   * @throws FallbackException DEVICE_IO_ERROR
   */
  static Optional<Superblock> superblock(BlockDevice device) throws FallbackException {
    int alignment = Math.max(BUFFER_ALIGNMENT, device.alignment());
    ByteBuffer start =
        ByteBuffer.allocateDirect(Superblock.PROBE_BYTES + alignment).alignedSlice(alignment);
    long whole = device.sizeBytes() / device.alignment() * device.alignment();
    start.limit((int) Math.min(Superblock.PROBE_BYTES, whole));
    Optional<Superblock> found = Optional.empty();
    for (int i = 0; i < ATTEMPTS && found.isEmpty(); i++) {
      device.read(0, start.position(0));
      found = Superblock.parse(start);
    }
    return found;
  }

  /**
   * Makes sure that a device holds the file system of an identity; else the device is discarded.
   *
   * @throws FallbackException DEVICE_MISMATCH with what it holds instead, or DEVICE_IO_ERROR
   */
  static void verify(DirectBlockDevice device, DeviceIdentity identity) throws FallbackException {
    try {
      requireIdentity(device, identity);
    } catch (FallbackException e) {
      device.discard();
      throw e;
    }
  }

  /** As {@link #verify}, but the device stays as it is. */
  static void requireIdentity(BlockDevice device, DeviceIdentity identity)
      throws FallbackException {
    Optional<Superblock> found = superblock(device);
    if (found.isEmpty()) {
      throw mismatch(device, identity, "it has no valid ext4 or xfs superblock");
    }
    Superblock superblock = found.get();
    if (!superblock.uuid().equals(identity.fsUuid())
        || !superblock.fsType().equals(identity.fsType())) {
      throw mismatch(device, identity, "it holds " + describe(superblock));
    }
    if (superblock.sizeBytes() > device.sizeBytes()) {
      throw mismatch(
          device, identity, describe(superblock) + " needs more than its " + device.sizeBytes());
    }
  }

  /**
   * Makes sure that a device shows a witness.
   *
   * @throws FallbackException DEVICE_MISMATCH if it is an older copy, or DEVICE_IO_ERROR
   */
  static void requireWitness(DirectBlockDevice device, Witness witness) throws FallbackException {
    int alignment = device.alignment();
    int at = (int) (witness.offset() & (alignment - 1));
    ByteBuffer sector = ByteBuffer.allocateDirect(2 * alignment).alignedSlice(alignment);
    sector.limit(alignment);
    for (int i = 0; i < ATTEMPTS; i++) {
      device.read(witness.offset() - at, sector.position(0));
      if (witness.isShownBy(sector, at)) {
        return;
      }
    }
    throw new FallbackException(
        FallbackReason.DEVICE_MISMATCH,
        device.name()
            + " has the right file system, but not what the DataNode wrote to it last ("
            + witness
            + "): it is an older copy, or its file system was restored");
  }

  static String describe(Superblock superblock) {
    return superblock.fsType()
        + " "
        + superblock.uuid()
        + " of "
        + superblock.sizeBytes()
        + " bytes";
  }

  private static FallbackException mismatch(
      BlockDevice device, DeviceIdentity identity, String what) {
    return new FallbackException(
        FallbackReason.DEVICE_MISMATCH, device.name() + " is not " + identity + ": " + what);
  }
}
