// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of a {@link SharedRun} that its reader has not passed, in the block's order. Whoever
 * takes one out has it left. For one thread at a time.
 */
final class RangeRow {
  private final List<SharedRange> ranges = new ArrayList<>();

  boolean isEmpty() {
    return ranges.isEmpty();
  }

  boolean contains(SharedRange range) {
    return ranges.contains(range);
  }

  /** Adds one behind all others. */
  void add(SharedRange range) {
    ranges.add(range);
  }

  /** Leaves one, which may not be here any more. */
  void leave(SharedRange range) {
    ranges.remove(range);
    range.leave();
  }

  void leaveAll() {
    while (!ranges.isEmpty()) {
      leaveFirst();
    }
  }

  private void leaveFirst() {
    ranges.remove(0).leave();
  }

  /** The one that has a byte, null for none; those that end before it are left. */
  @Nullable SharedRange comeTo(long offset) {
    while (!ranges.isEmpty() && ranges.get(0).end() <= offset) {
      leaveFirst();
    }
    return !ranges.isEmpty() && ranges.get(0).covers(offset) ? ranges.get(0) : null;
  }

  /** Where the first one begins, if that is behind an offset; else a very large one. */
  long startBehind(long offset) {
    boolean any = !ranges.isEmpty() && ranges.get(0).start() > offset;
    return any ? ranges.get(0).start() : Long.MAX_VALUE;
  }

  /** The first offset from one on that none has. */
  long behind(long offset) {
    long at = offset;
    for (int i = 0; i < ranges.size(); i++) {
      at = ranges.get(i).covers(at) ? ranges.get(i).end() : at;
    }
    return at;
  }

  /** Whether another one may begin there: behind all others, none of which waits to be filled. */
  boolean mayGrowAt(long offset) {
    for (int i = 0; i < ranges.size(); i++) {
      if (ranges.get(i).isWaiting() || ranges.get(i).end() > offset) {
        return false;
      }
    }
    return true;
  }

  /** Bytes of all. */
  long bytes() {
    long bytes = 0;
    for (int i = 0; i < ranges.size(); i++) {
      bytes += ranges.get(i).bytes();
    }
    return bytes;
  }

  /** Bytes that are still to come. */
  long unfilled() {
    long bytes = 0;
    for (int i = 0; i < ranges.size(); i++) {
      bytes += ranges.get(i).unfilled();
    }
    return bytes;
  }

  /** The first one that nobody has begun to fill; null for none. */
  @Nullable SharedRange waiting() {
    for (int i = 0; i < ranges.size(); i++) {
      if (ranges.get(i).isWaiting()) {
        return ranges.get(i);
      }
    }
    return null;
  }
}
