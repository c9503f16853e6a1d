// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.core.FallbackException;
import io.rdio.core.extent.ExtentList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/** Makes private copies of the metadata of file systems that nobody writes to. Thread-safe. */
interface MetadataCopies {
  /**
   * Copies what a device has. Waits for as long as that takes, within a bound; changes nothing on
   * the device.
   *
   * @param node not mounted on this host
   * @throws IOException that says why there is none, and how to mend that
   */
  Copy of(Path node) throws IOException;

  /** Whether this program may make one at all: its rights, and the tools that it takes. */
  void requireAble() throws IOException;

  /** A file system as it is behind its log, whose files have places and no bytes. */
  interface Copy extends AutoCloseable {
    /** The folder that it can be seen in, which does not change. */
    Path root();

    UUID fileSystem();

    /**
     * Where the first bytes of a file lie on the device.
     *
     * @throws FallbackException EXTENTS_UNMAPPABLE
     * @throws IOException where the copy does not say
     */
    ExtentList extents(Path file, long length) throws IOException, FallbackException;

    /** Removes it. Does not fail: what is left of it is removed by the next program. */
    @Override
    void close();
  }
}
