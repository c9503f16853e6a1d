// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.FallbackException;
import io.rdio.core.extent.ExtentList;
import java.io.IOException;
import java.nio.file.Path;

/** Asks the file system where a file's bytes lie. Thread-safe. */
@FunctionalInterface
public interface ExtentMapper {
  /**
   * Writes back what is dirty, then maps file offsets {@code [0, length)} to the device.
   *
   * @param length bytes, at least 1
   * @throws FallbackException EXTENTS_UNMAPPABLE when any of them has no fixed, written place
   */
  ExtentList extents(Path file, long length) throws FallbackException, IOException;
}
