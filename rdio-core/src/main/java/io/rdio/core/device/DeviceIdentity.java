// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import java.util.UUID;

/**
 * What makes a file system's device the same device on every host. Never a {@code /dev} name.
 *
 * @param fsType {@code "ext4"} or {@code "xfs"}
 * @param fsUuid from the file system's superblock
 * @param sizeBytes of the block device that holds the file system (a partition's own size)
 * @param wwid sysfs {@code wwid} of the whole disk, or "" where it has none (loop devices)
 * @param partitionStartBytes where that device starts on the whole disk; 0 if it is the whole disk
 * @param name the DataNode's own name for it: for messages, never for finding it; not part of
 *     {@link #equals}
 */
public record DeviceIdentity(
    String fsType,
    UUID fsUuid,
    long sizeBytes,
    String wwid,
    long partitionStartBytes,
    String name) {

  /**
   * Makes sure that a device holds the file system of this identity, by its superblock. Whoever
   * opened it compares size and place.
   *
   * @throws FallbackException DEVICE_MISMATCH with what it holds instead, or DEVICE_IO_ERROR
   */
  public void requireShownBy(BlockDevice device) throws FallbackException {
    DeviceProbe.requireIdentity(device, this);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DeviceIdentity that
        && fsUuid.equals(that.fsUuid)
        && sizeBytes == that.sizeBytes
        && partitionStartBytes == that.partitionStartBytes
        && wwid.equals(that.wwid)
        && fsType.equals(that.fsType);
  }

  /** Whether this is that device, and larger by now. */
  public boolean hasGrownFrom(DeviceIdentity before) {
    return sizeBytes > before.sizeBytes
        && equals(
            new DeviceIdentity(
                before.fsType,
                before.fsUuid,
                sizeBytes,
                before.wwid,
                before.partitionStartBytes,
                before.name));
  }

  @Override
  public int hashCode() {
    return fsUuid.hashCode();
  }

  @Override
  public String toString() {
    return fsType
        + " "
        + fsUuid
        + " of "
        + sizeBytes
        + " bytes"
        + (wwid.isEmpty() ? "" : " on " + wwid + "+" + partitionStartBytes)
        + " (there: "
        + name
        + ")";
  }
}
