// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.extent.ExtentList;
import java.io.IOException;

/** A device open for writing. Thread-safe. */
interface SlotDevice {
  /**
   * Notes a lease, which the library checks.
   *
   * @throws io.rdio.nativeio.write.TooManyLeasesException if the library takes no more
   */
  SlotLease lease(ExtentList extents, int unit, long deadlineNanos) throws IOException;

  /** Flushes it by this host's own controller; 0 or -errno. */
  int flush();

  /** Closes it; it has no leases any more. */
  void close() throws IOException;
}
