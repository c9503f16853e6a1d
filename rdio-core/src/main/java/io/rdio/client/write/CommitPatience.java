// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether enough replicas of a block, or blocks of a group, are made for the NameNode to make the
 * others from: then nobody waits long for a DataNode that does not answer. Thread-safe.
 */
final class CommitPatience {
  private final AtomicInteger missing;

  /**
   * @param enough how many have to be made; at least 1
   */
  CommitPatience(int enough) {
    this.missing = new AtomicInteger(enough);
  }

  /** One more is made. */
  void made() {
    missing.decrementAndGet();
  }

  boolean isEnoughMade() {
    return missing.get() <= 0;
  }
}
