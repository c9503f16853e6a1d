// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static io.rdio.core.FallbackReason.DEVICE_MISMATCH;
import static io.rdio.core.FallbackReason.DEVICE_NOT_FOUND;

import io.rdio.core.FallbackException;
import io.rdio.core.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The block devices of this host, and how to open them.
 *
 * @param sysfs {@code /sys}
 * @param devfs {@code /dev}
 */
record LocalDevices(Path sysfs, Path devfs) {
  private static final int DMA_ALIGNMENT_UNKNOWN = 512;

  List<SysfsBlockDevice> list() throws FallbackException {
    try {
      return SysfsBlockDevice.list(sysfs);
    } catch (IOException e) {
      throw new FallbackException(
          DEVICE_NOT_FOUND, "the devices in " + sysfs + "/class/block cannot be listed: " + e, e);
    }
  }

  /** Why a device can be nobody's volume, or must not be read below what is stacked on it. */
  static Optional<String> whyUnusable(SysfsBlockDevice device) {
    if (device.sizeBytes() == 0) {
      return Optional.of("has no medium");
    }
    if (device.hidden()) {
      return Optional.of("is a hidden path of a multipath device");
    }
    if (!device.kind().isEmpty()) {
      return Optional.of("is not a plain disk or partition (" + device.kind() + ")");
    }
    return device.holders().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "is held by "
                + String.join(", ", device.holders())
                + " (if that is multipath, name its node in "
                + Setting.DEVICES
                + ")");
  }

  /**
   * A device, or a range of it.
   *
   * @param start of the range in bytes; 0 for the whole device, whatever the size
   */
  DirectBlockDevice open(SysfsBlockDevice device, long start, long size) throws FallbackException {
    DirectBlockDevice opened = DirectBlockDevice.open(device.node(devfs), device.dmaAlignment());
    return start == 0 ? opened : range(opened, start, size);
  }

  /** The file system on a device, if there is one that RDIO knows; leaves nothing open. */
  Optional<Superblock> look(SysfsBlockDevice device) throws FallbackException {
    DirectBlockDevice opened = open(device, 0, 0);
    try {
      return DeviceProbe.superblock(opened);
    } finally {
      opened.discard();
    }
  }

  /**
   * The device behind a node that an administrator named for an identity. Only the choice is
   * theirs: size, wwid and superblock are verified like anybody's.
   *
   * @throws FallbackException DEVICE_MISMATCH with what does not fit; DEVICE_PERMISSION,
   *     DEVICE_NOT_FOUND or DEVICE_IO_ERROR
   */
  DirectBlockDevice openNamed(Path node, DeviceIdentity identity) throws FallbackException {
    Optional<SysfsBlockDevice> known = byNode(node);
    String wwid = known.map(SysfsBlockDevice::wwid).orElse("");
    if (!wwid.isEmpty() && !identity.wwid().isEmpty() && !wwid.equals(identity.wwid())) {
      throw new FallbackException(
          DEVICE_MISMATCH, node + " has wwid " + wwid + " and is not " + identity);
    }
    DirectBlockDevice opened = open(node, known);
    DirectBlockDevice sized = sizedLike(identity, opened);
    DeviceProbe.verify(sized, identity);
    return sized;
  }

  /**
   * Whatever a node stands for, and whatever that holds; a regular file too.
   *
   * @throws FallbackException DEVICE_PERMISSION, DEVICE_NOT_FOUND or DEVICE_IO_ERROR
   */
  DirectBlockDevice open(Path node) throws FallbackException {
    return open(node, byNode(node));
  }

  private static DirectBlockDevice open(Path node, Optional<SysfsBlockDevice> known)
      throws FallbackException {
    return DirectBlockDevice.open(
        node, known.map(SysfsBlockDevice::dmaAlignment).orElse(DMA_ALIGNMENT_UNKNOWN));
  }

  /** The device itself, or the identity's partition if it is the whole disk. */
  private static DirectBlockDevice sizedLike(DeviceIdentity identity, DirectBlockDevice device)
      throws FallbackException {
    if (device.sizeBytes() == identity.sizeBytes()) {
      return device;
    }
    if (identity.partitionStartBytes() > 0) {
      return range(device, identity.partitionStartBytes(), identity.sizeBytes());
    }
    device.discard();
    throw new FallbackException(
        DEVICE_MISMATCH,
        device.name() + " has " + device.sizeBytes() + " bytes and is not " + identity);
  }

  private static DirectBlockDevice range(DirectBlockDevice device, long start, long size)
      throws FallbackException {
    try {
      return device.view(start, size);
    } catch (FallbackException e) {
      device.discard();
      throw e;
    }
  }

  /** Empty for what is no block device, for example an image file, and where sysfs is missing. */
  private Optional<SysfsBlockDevice> byNode(Path node) {
    try {
      long numbers = (Long) Files.getAttribute(node, "unix:rdev");
      return numbers == 0
          ? Optional.empty()
          : Optional.of(SysfsBlockDevice.ofNumbers(sysfs, numbers));
    } catch (IOException e) {
      // If it is the node that is missing, the open that follows says so.
      return Optional.empty();
    }
  }
}
