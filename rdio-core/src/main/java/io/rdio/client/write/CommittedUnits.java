// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;

/** Commits several blocks of a group at the same time, and says which of them are. */
final class CommittedUnits {
  private CommittedUnits() {}

  /**
   * Flushes and commits. One whose flush its device does not answer in time is given up; a commit
   * has a bound of its own.
   *
   * @param units bits of the blocks
   * @param flush flushes one; false if that one is not to be committed
   * @param commit commits one that was flushed in time; false if that one is not
   * @return bits of those that are
   */
  static long of(
      Executor parallel,
      InternalBlocks blocks,
      long units,
      IntPredicate flush,
      IntPredicate commit) {
    AtomicLong committed = new AtomicLong();
    Pending flushing = new Pending(units);
    Round round =
        Round.begin(
            parallel,
            units,
            unit -> {
              if (isFlushed(unit, flushing, flush) && commit.test(unit)) {
                committed.getAndAccumulate(1L << unit, (all, one) -> all | one);
              }
            });
    round.doRejected(units);
    long late = blocks.awaitFlushes(flushing, units);
    round.finish(units & ~late, Round.ITS_OWN_TIME);
    return committed.get();
  }

  /** False also for one that was given up meanwhile. */
  private static boolean isFlushed(int unit, Pending flushing, IntPredicate flush) {
    boolean isFlushed;
    boolean isInTime;
    try {
      isFlushed = flush.test(unit);
    } finally {
      isInTime = flushing.remove(1L << unit) != 0;
    }
    return isFlushed && isInTime;
  }
}
