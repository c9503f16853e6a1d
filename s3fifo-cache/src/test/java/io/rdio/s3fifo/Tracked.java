// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import java.util.concurrent.atomic.AtomicInteger;

/** A value that knows how often it was freed. */
final class Tracked {
  final int key;
  final int weight;
  final AtomicInteger freed = new AtomicInteger();

  Tracked(int key, int weight) {
    this.key = key;
    this.weight = weight;
  }

  void free() {
    freed.incrementAndGet();
  }

  @Override
  public String toString() {
    return "value of " + key + ", weight " + weight + ", freed " + freed + " times";
  }
}
