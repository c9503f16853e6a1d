// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A doubly linked list whose links are in the elements themselves: an element is appended, taken
 * out of the middle and moved to the end in constant time and without garbage. Identity counts. An
 * element is in at most one list of a kind. Not thread-safe.
 */
final class LinkedDeque<E> extends AbstractCollection<E> {
  private final Links<E> links;
  private @Nullable E first;
  private @Nullable E last;
  private int size;

  /** Where in an element the links of one kind of list are; one object serves all such lists. */
  record Links<E>(
      Function<E, @Nullable E> previous,
      BiConsumer<E, @Nullable E> setPrevious,
      Function<E, @Nullable E> next,
      BiConsumer<E, @Nullable E> setNext) {}

  LinkedDeque(Links<E> links) {
    this.links = links;
  }

  @Nullable E first() {
    return first;
  }

  /** Puts an element that is in no list of this kind at the end. */
  void append(E element) {
    E end = last;
    links.setPrevious.accept(element, end);
    if (end == null) {
      first = element;
    } else {
      links.setNext.accept(end, element);
    }
    last = element;
    size++;
  }

  /** Takes out an element that is in this list. */
  void unlink(E element) {
    E before = links.previous.apply(element);
    E behind = links.next.apply(element);
    if (before == null) {
      first = behind;
    } else {
      links.setNext.accept(before, behind);
    }
    if (behind == null) {
      last = before;
    } else {
      links.setPrevious.accept(behind, before);
    }
    links.setPrevious.accept(element, null);
    links.setNext.accept(element, null);
    size--;
  }

  /** Makes an element of this list its last. */
  void moveToEnd(E element) {
    if (element != last) {
      unlink(element);
      append(element);
    }
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Iterator<E> iterator() {
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
        next = links.next.apply(now);
        return now;
      }
    };
  }
}
