// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * A doubly linked list whose links are in the elements themselves: an element is appended, taken
 * out of the middle and moved to the end in constant time and without garbage. Identity counts. An
 * element is in at most one list of a kind. Not thread-safe.
 */
abstract class LinkedDeque<E> extends AbstractCollection<E> {
  private @Nullable E first;
  private @Nullable E last;
  private int size;

  abstract @Nullable E previous(E element);

  abstract @Nullable E next(E element);

  abstract void setPrevious(E element, @Nullable E previous);

  abstract void setNext(E element, @Nullable E next);

  final @Nullable E first() {
    return first;
  }

  /** Puts an element that is in no list of this kind at the end. */
  final void append(E element) {
    E end = last;
    setPrevious(element, end);
    if (end == null) {
      first = element;
    } else {
      setNext(end, element);
    }
    last = element;
    size++;
  }

  /** Takes out an element that is in this list. */
  final void unlink(E element) {
    E before = previous(element);
    E behind = next(element);
    if (before == null) {
      first = behind;
    } else {
      setNext(before, behind);
    }
    if (behind == null) {
      last = before;
    } else {
      setPrevious(behind, before);
    }
    setPrevious(element, null);
    setNext(element, null);
    size--;
  }

  /** Makes an element of this list its last. */
  final void moveToEnd(E element) {
    if (element != last) {
      unlink(element);
      append(element);
    }
  }

  @Override
  public final int size() {
    return size;
  }

  @Override
  public final Iterator<E> iterator() {
    return new Iterator<>() {
      private @Nullable E next = first;

      @Override
      public boolean hasNext() {
        return next != null;
      }

      @Override
      public E next() {
        E now = next;
        if (now == null) {
          throw new NoSuchElementException();
        }
        next = LinkedDeque.this.next(now);
        return now;
      }
    };
  }
}
