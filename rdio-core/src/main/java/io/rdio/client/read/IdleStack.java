// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Things that nobody uses, of which the one that came last is the first to go: its memory is the
 * likeliest to be in the processor's caches still. Bounded. Safe for any number of threads; takes
 * no lock, and allocates nothing.
 *
 * <p>These are two stacks of the same places, of those that hold something and of those that do
 * not, each as R. K. Treiber has it ("Systems Programming: Coping with Parallelism", IBM RJ 5118,
 * 1986). Invariant: a place is in one of both stacks, or one thread alone moves it. Beside its top
 * each stack has a count of its changes, or a thread that was held up between its look and its
 * change would take a top that went and came back for the one it saw, with another place below.
 *
 * <p>What is stored for a place is published by the change of the top that follows, so the stores
 * themselves need no fence. Whoever reads what lies below a top that has changed meanwhile fails to
 * change it, and looks again.
 */
final class IdleStack<T> {
  private static final int NONE = -1;

  private final AtomicReferenceArray<@Nullable T> held;
  private final AtomicIntegerArray below;
  private final AtomicLong full = new AtomicLong(top(0, NONE));
  private final AtomicLong empty = new AtomicLong(top(0, NONE));

  /**
   * @param capacity how many are kept at most
   */
  IdleStack(int capacity) {
    held = new AtomicReferenceArray<>(capacity);
    below = new AtomicIntegerArray(capacity);
    for (int place = 0; place < capacity; place++) {
      push(empty, place);
    }
  }

  /** Keeps one, unless this is full. */
  boolean offer(T one) {
    int place = pop(empty);
    if (place == NONE) {
      return false;
    }
    held.setPlain(place, one);
    push(full, place);
    return true;
  }

  /** Takes the one that came last; null if there is none. */
  @Nullable T poll() {
    int place = pop(full);
    if (place == NONE) {
      return null;
    }
    T one = held.get(place);
    held.setPlain(place, null);
    push(empty, place);
    return one;
  }

  /** Whether nothing is held just now. */
  boolean isEmpty() {
    return place(full.get()) == NONE;
  }

  /** How many are held; about as many while others offer and poll. Looks at every place. */
  int size() {
    int size = 0;
    for (int place = 0; place < held.length(); place++) {
      size += held.get(place) == null ? 0 : 1;
    }
    return size;
  }

  private int pop(AtomicLong stack) {
    while (true) {
      long seen = stack.get();
      int place = place(seen);
      if (place == NONE || stack.compareAndSet(seen, top(changes(seen) + 1, below.get(place)))) {
        return place;
      }
    }
  }

  private void push(AtomicLong stack, int place) {
    while (true) {
      long seen = stack.get();
      below.setPlain(place, place(seen));
      if (stack.compareAndSet(seen, top(changes(seen) + 1, place))) {
        return;
      }
    }
  }

  private static long top(int changes, int place) {
    return (long) changes << Integer.SIZE | Integer.toUnsignedLong(place);
  }

  private static int changes(long top) {
    return (int) (top >>> Integer.SIZE);
  }

  private static int place(long top) {
    return (int) top;
  }
}
