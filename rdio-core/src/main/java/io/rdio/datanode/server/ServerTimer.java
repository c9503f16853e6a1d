// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

/** Has work done later, which itself waits for nothing. Thread-safe. */
@FunctionalInterface
interface ServerTimer {
  /**
   * Has work done once so much time has passed.
   *
   * @return ends the waiting; without effect once the work is done
   */
  Runnable after(long nanos, Runnable work);
}
