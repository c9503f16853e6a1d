// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import java.util.List;

/** The devices of this host that may be somebody's volume. Safe for any number of threads. */
@FunctionalInterface
interface LocalVolumes {
  /**
   * All of them, whatever is on them.
   *
   * @throws FallbackException why they are not known
   */
  List<Candidate> list() throws FallbackException;

  /** A device that was not opened yet. */
  interface Candidate {
    /** The same for the same medium at the same node; another one for each other. */
    String key();

    /**
     * Opens it, for reading. Nobody has to close it.
     *
     * @throws FallbackException why it cannot be opened
     */
    Opened open() throws FallbackException;
  }

  /**
   * Two ways to one device.
   *
   * @param data what readers' queues read from
   * @param metadata one that gives a read up that takes too long
   */
  record Opened(BlockDevice data, BlockDevice metadata) {}
}
