// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import java.util.ArrayList;
import java.util.List;

/**
 * Gives every pin that HDFS is not known to have let go its turn to be looked at, so many at a
 * time, the oldest first, then from the start again. A pin that is there all the while gets its
 * turn once in each round; a round with {@code n} pins takes {@code n / atOnce} turns, rounded up.
 * For one thread at a time.
 */
final class PinTurns {
  // Others get the table's lock in between.
  private static final int UNDER_LOCK = 1_000;

  private final LeaseTable table;
  private final int atOnce;

  /** Number of the pin that had the last turn of this round; 0 at its start. */
  private long last;

  /**
   * @param atOnce at least 1
   */
  PinTurns(LeaseTable table, int atOnce) {
    this.table = table;
    this.atOnce = atOnce;
  }

  /** The pins whose turn it is; empty only if there are none. */
  List<Pin> next() {
    List<Pin> turn = new ArrayList<>();
    if (!goOn(turn) && turn.isEmpty()) {
      goOn(turn); // the round was over, unnoticed
    }
    return turn;
  }

  /**
   * @return false at the end of the round
   */
  private boolean goOn(List<Pin> turn) {
    while (turn.size() < atOnce) {
      List<Pin.Place> some = table.nextPins(last, Math.min(UNDER_LOCK, atOnce - turn.size()));
      if (some.isEmpty()) {
        last = 0;
        return false;
      }
      some.forEach(place -> turn.add(place.pin));
      last = some.get(some.size() - 1).number;
    }
    return true;
  }
}
