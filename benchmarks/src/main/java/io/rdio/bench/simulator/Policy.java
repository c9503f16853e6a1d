// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

/** A simulated cache of a fixed number of objects, with some eviction policy. */
@FunctionalInterface
public interface Policy {

  /**
   * Requests an object, admits it if it is not in the cache, and returns whether it was.
   *
   * @param object its number in the {@link Trace}
   */
  boolean request(int object);
}
