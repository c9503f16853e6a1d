// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import java.io.IOException;

/** A cache of this host that tells what falls out of it. */
interface EvictionSource extends AutoCloseable {
  /** Is told of evictions. Thread-safe; does not wait for anybody far away. */
  @FunctionalInterface
  interface Listener {
    void evicted(Eviction eviction);
  }

  /**
   * Begins; called once.
   *
   * @param listener is told
   * @throws IOException if this host cannot do it, saying why
   */
  void start(Listener listener) throws IOException;

  /**
   * A device is traced from now on, if it is one that this source knows of.
   *
   * @param index by which evictions are to name it: 0 to {@link EvictionTracer#DEVICES} - 1
   */
  void traced(int index, TracedDevice device);

  /** The device of an index is not traced any more. */
  void untraced(int index);

  /** Ends: when it returns the listener is not called any more. */
  @Override
  void close();
}
