// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Devices and files that people name, and images of devices in files: not what blocks lie on. */
public final class NamedDevice {
  private static final int DMA_ALIGNMENT_UNKNOWN = 512;

  // Of st_mode, as stat(2) has it.
  private static final int TYPE_MASK = 0xF000;
  private static final int REGULAR_FILE = 0x8000;
  private static final int BLOCK_DEVICE = 0x6000;

  private NamedDevice() {}

  /**
   * Opens a device past the page cache, or a file by way of it. Nobody has to close it.
   *
   * @throws FallbackException DEVICE_PERMISSION, DEVICE_NOT_FOUND, DEVICE_IO_ERROR, or for a device
   *     NATIVE_LIBRARY_UNAVAILABLE
   */
  public static BlockDevice open(Path path) throws FallbackException {
    int type = type(path);
    if (type == REGULAR_FILE) {
      return ImageFile.open(path);
    }
    if (type != BLOCK_DEVICE) {
      throw new FallbackException(
          FallbackReason.DEVICE_NOT_FOUND, path + " is neither a block device nor a file");
    }
    return openDirect(path);
  }

  /**
   * Opens a regular file past the page cache, as a device is. Nobody has to close it.
   *
   * @throws FallbackException as in {@link #open}
   */
  public static BlockDevice openFile(Path path) throws FallbackException {
    if (type(path) != REGULAR_FILE) {
      throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, path + " is not a file");
    }
    return openDirect(path);
  }

  private static BlockDevice openDirect(Path path) throws FallbackException {
    NativeAvailability library = NativeLibrary.availability();
    if (!library.isAvailable()) {
      throw new FallbackException(
          FallbackReason.NATIVE_LIBRARY_UNAVAILABLE, library.detail(), library.cause());
    }
    return DirectBlockDevice.open(path, DMA_ALIGNMENT_UNKNOWN);
  }

  // It is asked for before anything is opened: that of a pipe may wait for ever.
  private static int type(Path path) throws FallbackException {
    try {
      return (Integer) Files.getAttribute(path, "unix:mode") & TYPE_MASK;
    } catch (NoSuchFileException e) {
      throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, "there is no " + path, e);
    } catch (AccessDeniedException e) {
      throw new FallbackException(FallbackReason.DEVICE_PERMISSION, "look at " + path, e);
    } catch (IOException e) {
      throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, "look at " + path + ": " + e, e);
    }
  }
}
