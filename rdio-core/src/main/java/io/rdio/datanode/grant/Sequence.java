// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Elements in the order of their numbers, to be walked page by page: who goes on behind a number
 * needs neither hold a lock in between nor find that number still there. A sparse index finds the
 * place: it has the first element of each run of 256 numbers. Not thread-safe.
 */
final class Sequence<E extends Sequence.Element<E>> {
  private static final int RUN_BITS = 8;

  private final TreeMap<Long, E> firstOfRun = new TreeMap<>();
  private @Nullable E last;
  private int size;

  /** What has a number. Its links belong to the sequence. */
  abstract static class Element<E extends Element<E>> {
    /** At least 1. */
    final long number;

    @Nullable E previous;
    @Nullable E next;

    Element(long number) {
      this.number = number;
    }

    final long run() {
      return number >>> RUN_BITS;
    }
  }

  /** Adds an element whose number is larger than that of any before. */
  void append(E element) {
    firstOfRun.putIfAbsent(element.run(), element); // first: it alone may throw, for memory
    E end = last;
    element.previous = end;
    if (end != null) {
      end.next = element;
    }
    last = element;
    size++;
  }

  /** Takes out an element that is in the sequence. */
  void remove(E element) {
    E before = element.previous;
    E behind = element.next;
    if (before == null || before.run() != element.run()) {
      if (behind != null && behind.run() == element.run()) {
        firstOfRun.put(element.run(), behind);
      } else {
        firstOfRun.remove(element.run());
      }
    }
    if (before != null) {
      before.next = behind;
    }
    if (behind == null) {
      last = before;
    } else {
      behind.previous = before;
    }
    element.previous = null;
    element.next = null;
    size--;
  }

  /** Up to so many elements with larger numbers than this, in order. */
  List<E> after(long number, int max) {
    List<E> page = new ArrayList<>(Math.min(max, size));
    Map.Entry<Long, E> start = firstOfRun.ceilingEntry(number >>> RUN_BITS);
    E element = start == null ? null : start.getValue();
    while (element != null && page.size() < max) {
      if (element.number > number) {
        page.add(element);
      }
      element = element.next;
    }
    return page;
  }
}
