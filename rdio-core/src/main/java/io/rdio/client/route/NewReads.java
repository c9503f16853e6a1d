// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The first reads by each route, of all devices and sizes together: they are the slowest, for the
 * JVM has yet to compile what they run. It goes on with that for thousands more, but by then trials
 * see which route is the better one. Thread-safe without a lock.
 */
final class NewReads {
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

  /** How many of the next reads by this route are among them; 0 or more. */
  int of(Route route) {
    return Math.max(0, left(route).get());
  }

  private AtomicInteger left(Route route) {
    return route == Route.DEVICE ? device : dataNode;
  }
}
