// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;
import io.rdio.core.FallbackException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The windows of a {@link ReadAhead}, in the block's order: a ring of {@link
 * ReadGeometry#MAX_WINDOWS}. Whoever takes one out gives it back to the pool. For one thread at a
 * time.
 */
final class WindowRow {
  private final @Nullable ReadWindow[] windows = new @Nullable ReadWindow[ReadGeometry.MAX_WINDOWS];
  private int first;
  private int count;

  int count() {
    return count;
  }

  /** The one of an index below {@link #count}. */
  ReadWindow get(int i) {
    return Objects.requireNonNull(windows[place(i)]);
  }

  /** The first one; there must be one. */
  ReadWindow first() {
    return get(0);
  }

  /** The last one; there must be one. */
  ReadWindow last() {
    return get(count - 1);
  }

  /** The last one; null where there is none. */
  @Nullable ReadWindow lastOrNull() {
    return count == 0 ? null : last();
  }

  /**
   * Borrows one more, which is not here yet.
   *
   * @return null where memory is too scarce for another beside those that are here
   * @throws FallbackException as {@link WindowPool#borrow}, where there are none
   */
  @Nullable ReadWindow borrow(WindowPool pool, int preferred, int minimum)
      throws FallbackException {
    return count > 0 ? pool.tryBorrow(preferred, minimum) : pool.borrow(preferred, minimum);
  }

  private int place(int i) {
    return (first + i) % ReadGeometry.MAX_WINDOWS;
  }

  /** Whether one of them has a byte, or will. */
  boolean covers(long offset) {
    for (int i = 0; i < count; i++) {
      if (get(i).covers(offset)) {
        return true;
      }
    }
    return false;
  }

  /** Data bytes that they can hold. */
  long bytes() {
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      bytes += get(i).size();
    }
    return bytes;
  }

  /** Memory that they take. */
  long footprint() {
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      bytes += get(i).footprint();
    }
    return bytes;
  }

  void add(ReadWindow window) {
    windows[place(count)] = window;
    count++;
  }

  ReadWindow takeFirst() {
    ReadWindow window = first();
    windows[first] = null;
    first = place(1);
    count--;
    return window;
  }

  ReadWindow takeLast() {
    ReadWindow window = last();
    windows[place(count - 1)] = null;
    count--;
    return window;
  }

  /**
   * Gives all back, in their order, up to the first one that the kernel may still write to.
   *
   * @return false where there is one
   */
  boolean releaseAll() {
    return releaseBefore(Long.MAX_VALUE);
  }

  /** The same with those that end at or before an offset. */
  boolean releaseBefore(long offset) {
    while (count > 0 && offset >= first().end()) {
      if (!first().abandon()) {
        return false;
      }
      takeFirst().release();
    }
    return true;
  }

  /** The same with those behind the first so many, the last one first. */
  boolean releaseBehind(int kept) {
    while (count > kept) {
      if (!last().abandon()) {
        return false;
      }
      takeLast().release();
    }
    return true;
  }

  /** Moves all of them to the end of another row, which has room. */
  void moveTo(WindowRow other) {
    while (count > 0) {
      other.add(takeFirst());
    }
  }
}
