// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;

/** Commits several blocks at the same time, and says which of them are. */
final class CommittedUnits {
  private CommittedUnits() {}

  /**
   * Commits.
   *
   * @param units bits of the blocks
   * @param commit commits one; false if that one is not
   * @return bits of those that are
   */
  static long of(Executor parallel, long units, IntPredicate commit) {
    AtomicLong committed = new AtomicLong();
    if (units != 0) {
      Round.run(
          parallel,
          units,
          unit -> {
            if (commit.test(unit)) {
              committed.getAndAccumulate(1L << unit, (all, one) -> all | one);
            }
          });
    }
    return committed.get();
  }
}
