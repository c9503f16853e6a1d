// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.nio.file.Files;
import java.nio.file.Path;

/** Devices that people name, and images of devices in files: for tools, not for readers. */
public final class NamedDevice {
  private static final int DMA_ALIGNMENT_UNKNOWN = 512;

  private NamedDevice() {}

  /**
   * Opens a device past the page cache, or a file by way of it. Nobody has to close it.
   *
   * @throws FallbackException DEVICE_PERMISSION, DEVICE_NOT_FOUND, DEVICE_IO_ERROR, or for a device
   *     NATIVE_LIBRARY_UNAVAILABLE
   */
  public static BlockDevice open(Path path) throws FallbackException {
    if (Files.isRegularFile(path)) {
      return ImageFile.open(path);
    }
    if (Files.notExists(path)) {
      throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, "there is no " + path);
    }
    NativeAvailability library = NativeLibrary.availability();
    if (!library.isAvailable()) {
      throw new FallbackException(
          FallbackReason.NATIVE_LIBRARY_UNAVAILABLE, library.detail(), library.cause());
    }
    return DirectBlockDevice.open(path, DMA_ALIGNMENT_UNKNOWN);
  }
}
