// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

/**
 * How much of a run its second way is to bring next: as much as will be here most probably when the
 * run's reader comes to it, by how fast that reader moves on, and how fast the second way is. So
 * the shares of both follow from what they give, and nobody waits for the slower one. It decides
 * and does nothing.
 *
 * <p>For one thread at a time; allocates nothing.
 */
final class RangeShare {
  /** Windows of one range: what it takes to open the second way is little beside them. */
  static final int MOST_WINDOWS = 4;

  /** What is to be here by then, of the time that is left: speeds vary. */
  private static final double IN_TIME = 0.75;

  /**
   * The reader's pace is taken over so many bytes at a time: it waits for the device once in as
   * much as that has under way, and what it takes for less is chance. Before, there is no better
   * one than what it took from the beginning.
   */
  static final int PART = 8 << 20;

  /** Over so many bytes it is a mean. */
  private static final double HORIZON = 32 << 20;

  /** A part counts as at most so many times as slow as the mean: a reader's pause is no pace. */
  private static final double MOST = 2;

  private static final long NOWHERE = -1;

  private long place = NOWHERE;
  private long placeNanos;
  private double bytes;
  private double nanos;

  /** Whether a whole part has passed. */
  private boolean known;

  /** The run's reader has come to an offset of the block. */
  void cameTo(long offset, long nowNanos) {
    boolean goesOn = place != NOWHERE && offset >= place;
    double passed = (double) (offset - place);
    if (goesOn && passed > 0 && (passed >= PART || !known)) {
      pass(passed, (double) (nowNanos - placeNanos));
    }
    if (!goesOn || passed >= PART) {
      place = offset;
      placeNanos = nowNanos;
    }
  }

  /** What lies between is not passed. */
  void goesElsewhere() {
    place = NOWHERE;
  }

  private void pass(double passed, double took) {
    if (known) {
      double weight = HORIZON / (HORIZON + passed);
      double most = MOST * nanos / bytes * passed;
      bytes = weight * bytes + passed;
      nanos = weight * nanos + Math.min(took, most);
    } else {
      bytes = passed;
      nanos = took;
      known = passed >= PART;
    }
  }

  /**
   * How many windows the second way is to bring at once; 0 where it would be late, or nobody knows.
   * One alone finds out how fast it is.
   *
   * @param ahead of the reader, where they begin, in bytes
   * @param unfilled bytes that it has yet to bring before these
   * @param nanosPerByte what it takes for one; 0 if unknown
   * @param window bytes of each
   */
  int windows(long ahead, long unfilled, double nanosPerByte, int window) {
    if (bytes == 0) {
      return 0;
    }
    if (nanosPerByte == 0) {
      return unfilled == 0 ? 1 : 0;
    }
    double inTime = IN_TIME * (double) ahead * (nanos / bytes) / nanosPerByte - (double) unfilled;
    return (int) Math.max(0, Math.min(MOST_WINDOWS, inTime / window));
  }
}
