// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.device.DeviceViews.View;
import io.rdio.core.linux.MountedFileSystem;
import io.rdio.exclusive.wire.CachedDevice;
import java.util.Optional;

/**
 * A device that the storage node caches and this host uses.
 *
 * @param cached as the storage node describes it
 * @param startBytes where what this host uses of it begins on it: a partition's start, or 0
 * @param view this host's; none for a client's block data cache, which goes by the DataNode's names
 * @param mount the file system on it, whose files' pages are traced; without one the device's own
 */
record TracedDevice(
    CachedDevice cached, long startBytes, Optional<View> view, Optional<MountedFileSystem> mount) {

  int blockBytes() {
    return cached.getBlockBytes();
  }

  int segmentBlocks() {
    return cached.getSegmentBytes() / cached.getBlockBytes();
  }

  /** Whether the units can be worked with. */
  boolean isUsable() {
    int block = cached.getBlockBytes();
    int segment = cached.getSegmentBytes();
    return Integer.bitCount(block) == 1
        && block >= 512
        && Integer.bitCount(segment) == 1
        && segment >= block
        && segment / block <= Long.SIZE
        && cached.getBlocks() > 0;
  }

  /** Whether one is the other but for the storage node's number of it. */
  boolean sameAs(TracedDevice other) {
    return cached.toBuilder()
            .setDevice(0)
            .build()
            .equals(other.cached.toBuilder().setDevice(0).build())
        && startBytes == other.startBytes
        && view.equals(other.view)
        && mount.equals(other.mount);
  }

  @Override
  public String toString() {
    return view.map(v -> v.device().name()).orElse("a DataNode's device")
        + mount.map(m -> " (" + m.fsType() + " on " + m.point() + ")").orElse("")
        + ", there device "
        + Integer.toUnsignedString(cached.getDevice());
  }
}
