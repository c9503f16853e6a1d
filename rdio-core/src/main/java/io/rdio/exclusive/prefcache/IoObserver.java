// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.io.IOException;

/** Sees what compute nodes read from and write to the devices that this storage node exports. */
public interface IoObserver extends AutoCloseable {
  /** Told of completed requests, in the device's own addresses. */
  interface Listener {
    void read(int device, long offset, long bytes);

    /** Also of whatever else changes what the device holds: discards, for example. */
    void written(int device, long offset, long bytes);
  }

  /**
   * Tells of what was completed since it was last called. For one thread at a time.
   *
   * @param timeoutMillis to wait, at most, if there is not much yet
   * @return how many requests
   * @throws IOException if nothing can be observed any more
   */
  int poll(int timeoutMillis, Listener listener) throws IOException;

  /** Requests that went unseen. */
  long lost();

  @Override
  void close();
}
