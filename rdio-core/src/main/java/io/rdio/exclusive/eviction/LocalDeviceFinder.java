// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceViews;
import io.rdio.core.device.DeviceViews.View;
import io.rdio.core.linux.MountedFileSystem;
import io.rdio.exclusive.wire.CachedDevice;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds on this host the devices that a storage node says it caches. Thread-safe. */
public final class LocalDeviceFinder implements DeviceFinder {
  private final DeviceViews views = new DeviceViews();
  private final Map<Integer, Path> named;

  /**
   * @param named nodes of this host for devices of the storage node, by its numbers: for those that
   *     share no name with it
   */
  public LocalDeviceFinder(Map<Integer, Path> named) {
    this.named = Map.copyOf(named);
  }

  @Override
  public List<TracedDevice> find(List<CachedDevice> cached) throws IOException {
    // Superblocks are read by the library's device reader.
    NativeAvailability library = NativeLibrary.availability();
    if (!library.isAvailable()) {
      throw new IOException(library.detail());
    }
    List<TracedDevice> devices = new ArrayList<>();
    for (CachedDevice device : cached) {
      List<View> found = views(device);
      List<TracedDevice> mounted = new ArrayList<>();
      List<TracedDevice> raw = new ArrayList<>();
      boolean otherwiseMounted = false;
      for (View view : found) {
        Optional<MountedFileSystem> mount = MountedFileSystem.on(view.major(), view.minor());
        (mount.isPresent() ? mounted : raw)
            .add(new TracedDevice(device, view.startBytes(), Optional.of(view), mount));
        otherwiseMounted |=
            mount.isEmpty() && MountedFileSystem.isAnyOn(view.major(), view.minor());
      }
      // The device's own pages only if no file system of it is here: else they are its metadata.
      devices.addAll(mounted.isEmpty() && !otherwiseMounted ? raw : mounted);
    }
    devices.removeIf(device -> !device.isUsable());
    return devices;
  }

  private List<View> views(CachedDevice device) throws IOException {
    Path node = named.get(device.getDevice());
    if (node != null) {
      return List.of(views.named(node));
    }
    try {
      return views.find(device.getNamespaceUuid(), device.getWwid(), device.getFsUuid());
    } catch (FallbackException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
