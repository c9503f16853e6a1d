// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackReason;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether enough replicas of a block, or blocks of a group, are made for the NameNode to make the
 * others from: then nobody waits long for a DataNode that does not answer. Thread-safe.
 */
final class CommitPatience {
  private final AtomicInteger missing;
  private final boolean isForNow;

  /**
   * @param enough how many have to be made; at least 1
   */
  CommitPatience(int enough) {
    this(enough, false);
  }

  private CommitPatience(int enough, boolean isForNow) {
    this.missing = new AtomicInteger(enough);
    this.isForNow = isForNow;
  }

  /**
   * One behind which those that do not answer are asked once more.
   *
   * @param enough how many have to be made; at least 1
   */
  static CommitPatience forNow(int enough) {
    return new CommitPatience(enough, true);
  }

  /** One more is made. */
  void made() {
    missing.decrementAndGet();
  }

  boolean isEnoughMade() {
    return missing.get() <= 0;
  }

  /** Whether one that is not made for this reason is not given up yet. */
  boolean asksLater(FallbackReason reason) {
    return isForNow && CommitTries.isAskedAgain(reason);
  }
}
