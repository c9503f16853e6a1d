// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory of the {@link WindowPool} that goes from one size of windows to another as a whole: it is
 * cut into windows of one size, and while none of these is lent it can be cut anew into windows of
 * another. The memory itself is never let go of. So the pool's bound holds at any time, and not
 * only once the garbage collector has been there; and what rings have pinned is still pinned,
 * whatever the memory is cut into.
 *
 * <p>Windows of an earlier cut may be anywhere; whoever comes upon one is not lent it, and drops
 * it. Invariant: all windows that are lent at a time are of the present cut.
 *
 * <p>Safe for any number of threads; takes no lock, and allocates nothing but what {@link #place}
 * gives.
 */
final class WindowGroup {
  /** The cut of a new one. */
  static final int FIRST_CUT = 0;

  /** Stands for no cut: windows are lent. */
  static final int LENT = -1;

  private final ByteBuffer memory;
  private final long footprint;

  // Which cut is the present one; and how many of its windows are lent, and it to who makes them.
  private final AtomicLong state = new AtomicLong(state(FIRST_CUT, 1));

  /**
   * A part of a group's memory, which is one window's.
   *
   * @param cut the one that it is of
   * @param footprint its share of the memory that the group takes, in bytes
   */
  record Place(WindowGroup group, int cut, long footprint, ByteBuffer data, ByteBuffer crcs) {}

  /**
   * A new one, held by its maker, who gives it back ({@link #takeBack}) when its windows are made.
   *
   * @param memory at a multiple of {@link io.rdio.client.ReadGeometry#ALIGNMENT}
   * @param footprint what it takes of the pool's bound, in bytes
   */
  WindowGroup(ByteBuffer memory, long footprint) {
    this.memory = memory;
    this.footprint = footprint;
  }

  /** All of it, whatever it is cut into: one and the same object, of which nothing changes. */
  ByteBuffer memory() {
    return memory;
  }

  /** How many windows of so many data bytes it can be cut into. */
  int windows(int size) {
    return memory.capacity() / WindowPool.bytes(size);
  }

  /**
   * Where a window lies.
   *
   * @param cut of windows of so many data bytes, all of them
   * @param i from 0 to below {@link #windows}
   */
  Place place(int cut, int size, int i) {
    int bytes = WindowPool.bytes(size);
    int data = WindowPool.dataBytes(size);
    return new Place(
        this,
        cut,
        footprint / windows(size),
        memory.slice(i * bytes, data),
        memory.slice(i * bytes + data, bytes - data));
  }

  /**
   * Takes the memory from the windows that it is cut into. The caller holds it until it has made
   * others, and gives it back then.
   *
   * @return the new cut; {@link #LENT} if one of the windows is lent
   */
  int cutAnew() {
    long seen = state.get();
    int next = (cut(seen) + 1) & Integer.MAX_VALUE;
    return lent(seen) == 0 && state.compareAndSet(seen, state(next, 1)) ? next : LENT;
  }

  /** Whether none of its windows is lent just now. */
  boolean isIdle() {
    return lent(state.get()) == 0;
  }

  /** Lends a window of a cut; {@link #takeBack} must follow if it did, which it says. */
  boolean lend(int ofCut) {
    while (true) {
      long seen = state.get();
      if (cut(seen) != ofCut) {
        return false;
      }
      if (state.compareAndSet(seen, seen + 1)) {
        return true;
      }
    }
  }

  /** A window is lent no more, or made no more. */
  void takeBack() {
    state.decrementAndGet();
  }

  private static long state(int cut, int lent) {
    return (long) cut << Integer.SIZE | lent;
  }

  private static int cut(long state) {
    return (int) (state >>> Integer.SIZE);
  }

  private static int lent(long state) {
    return (int) state;
  }
}
