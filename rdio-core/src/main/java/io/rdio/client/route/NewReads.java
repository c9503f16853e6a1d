// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads by each route that are slow for no other reason than that the JVM has done few like them,
 * and has yet to compile what they run: those of all devices and sizes together, for the code is
 * the same. Thread-safe without a lock.
 */
final class NewReads {
  /** Behind so many reads the JVM has compiled most of what they run. */
  private static final int READS = 256;

  private final AtomicInteger device = new AtomicInteger(READS);
  private final AtomicInteger dataNode = new AtomicInteger(READS);

  /** A read by this route ended well. */
  void done(Route route) {
    AtomicInteger of = left(route);
    if (of.get() > 0) {
      of.decrementAndGet();
    }
  }

  /** Reads by this route, from now on, that are slow for that reason; 0 or more. */
  int of(Route route) {
    return Math.max(0, left(route).get());
  }

  private AtomicInteger left(Route route) {
    return route == Route.DEVICE ? device : dataNode;
  }
}
