// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Ranges that the page cache is to let go of, gathered so that neighbours are let go of together.
 * Not thread-safe. Bounded: beyond so many ranges a round forgets the rest, which the page cache
 * then evicts in its own time.
 */
final class ReleaseQueue {
  /** A range of blocks, the end exclusive. */
  record Range(int device, long first, long end) {}

  private final int most;
  private final List<List<Range>> rounds = new ArrayList<>();
  private long forgotten;

  /**
   * @param most ranges of one round
   */
  ReleaseQueue(int most) {
    this.most = most;
  }

  /**
   * Adds a range, joined to the one before it if that goes on there.
   *
   * @param inRounds 0: handed out by the next {@link #nextRound}; n: by the n-th behind it
   */
  void add(int device, long first, long end, int inRounds) {
    while (rounds.size() <= inRounds) {
      rounds.add(new ArrayList<>());
    }
    List<Range> round = rounds.get(inRounds);
    int last = round.size() - 1;
    if (last >= 0 && round.get(last).device() == device && round.get(last).end() == first) {
      round.set(last, new Range(device, round.get(last).first(), end));
    } else if (round.size() < most) {
      round.add(new Range(device, first, end));
    } else {
      forgotten++;
    }
  }

  /** The ranges whose turn it is, sorted and without overlap. */
  List<Range> nextRound() {
    List<Range> round = rounds.isEmpty() ? new ArrayList<>() : rounds.remove(0);
    round.sort(Comparator.comparingInt(Range::device).thenComparingLong(Range::first));
    List<Range> merged = new ArrayList<>();
    for (Range range : round) {
      int last = merged.size() - 1;
      Range before = last < 0 ? null : merged.get(last);
      if (before != null && before.device() == range.device() && before.end() >= range.first()) {
        long end = Math.max(before.end(), range.end());
        merged.set(last, new Range(range.device(), before.first(), end));
      } else {
        merged.add(range);
      }
    }
    return merged;
  }

  /** Ranges that there was no room for. */
  long forgotten() {
    return forgotten;
  }
}
