// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.table;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A part of a table: open addressing with linear probing. Writers hold its monitor. Readers do not:
 * an element stays in its slot until it is removed, and its slot then says so, hence a reader on
 * its way along the slots passes over no element that was there all the while. When too few slots
 * are left the elements are copied to new ones; a reader that is still on the old ones sees what
 * was in the table when they were left.
 *
 * <p>Beside each slot is the hash of what is or was in it, written before that: who looks for a
 * key, or copies, need not go to elements all over the heap that are not the one. A hash may be a
 * later element's than the one that a reader has found in the slot; then that one was removed.
 */
final class Stripe<K, E> implements Iterable<E> {
  private static final Object REMOVED = new Object();
  private static final int MIN_SLOTS = 8;

  // In hundredths: how full slots may get, and how full new ones are.
  private static final int FULLEST = 80;
  private static final int FRESH = 64;

  private final Function<? super E, ? extends K> keys;
  private final int stripeBits;

  private volatile Slots slots = new Slots(MIN_SLOTS);

  @GuardedBy("this")
  private int size;

  @GuardedBy("this")
  private int notNull;

  private static final class Slots {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(Object[].class);

    // An element, REMOVED, or null, of which there is always one, where probing ends.
    private final @Nullable Object[] elements;
    final int[] hashes;
    final int length;

    Slots(int length) {
      this.elements = new Object[length];
      this.hashes = new int[length];
      this.length = length;
    }

    @Nullable Object get(int slot) {
      return ELEMENT.getAcquire(elements, slot);
    }

    void set(int slot, Object element) {
      ELEMENT.setRelease(elements, slot, element);
    }

    void set(int slot, Object element, int hash) {
      hashes[slot] = hash;
      set(slot, element);
    }
  }

  Stripe(Function<? super E, ? extends K> keys, int stripeBits) {
    this.keys = keys;
    this.stripeBits = stripeBits;
  }

  synchronized int size() {
    return size;
  }

  @Nullable E find(K key, int hash) {
    Slots all = slots;
    int length = all.length;
    int i = home(hash, length);
    Object found = all.get(i);
    while (found != null) {
      if (all.hashes[i] == hash && found != REMOVED && keys.apply(element(found)).equals(key)) {
        return element(found);
      }
      i = next(i, length);
      found = all.get(i);
    }
    return null;
  }

  synchronized @Nullable E put(E added, K key, int hash, boolean replace) {
    if ((notNull + 1) * 100L > (long) slots.length * FULLEST) {
      copy();
    }
    Slots all = slots;
    int length = all.length;
    int free = -1;
    int i = home(hash, length);
    Object found = all.get(i);
    while (found != null) {
      if (found == REMOVED) {
        free = free < 0 ? i : free;
      } else if (all.hashes[i] == hash && keys.apply(element(found)).equals(key)) {
        if (replace) {
          all.set(i, added);
        }
        return element(found);
      }
      i = next(i, length);
      found = all.get(i);
    }
    if (free < 0) {
      free = i;
      notNull++;
    }
    all.set(free, added, hash);
    size++;
    return null;
  }

  synchronized boolean remove(E element, int hash) {
    Slots all = slots;
    int length = all.length;
    int i = home(hash, length);
    Object found = all.get(i);
    while (found != null && found != element) {
      i = next(i, length);
      found = all.get(i);
    }
    if (found == null) {
      return false;
    }
    all.set(i, REMOVED);
    size--;
    return true;
  }

  @GuardedBy("this")
  private void copy() {
    int length = Math.max(MIN_SLOTS, (int) Math.min((size + 1) * 100L / FRESH + 1, 1 << 30));
    Slots all = slots;
    Slots copy = new Slots(length);
    for (int from = 0; from < all.length; from++) {
      Object found = all.get(from);
      if (found != null && found != REMOVED) {
        int to = home(all.hashes[from], length);
        while (copy.get(to) != null) {
          to = next(to, length);
        }
        copy.set(to, found, all.hashes[from]);
      }
    }
    notNull = size;
    slots = copy;
  }

  /** Where probing starts: the bits of the hash that did not choose the stripe, scaled. */
  private int home(int hash, int length) {
    return (int) ((Integer.toUnsignedLong(hash << stripeBits) * length) >>> Integer.SIZE);
  }

  private static int next(int i, int length) {
    return i + 1 == length ? 0 : i + 1;
  }

  @SuppressWarnings("unchecked") // what is not REMOVED was put in as an E
  private E element(Object found) {
    return (E) found;
  }

  @Override
  public Iterator<E> iterator() {
    return new Walk(slots);
  }

  private final class Walk implements Iterator<E> {
    private final Slots all;
    private int at;
    private @Nullable E next;

    Walk(Slots all) {
      this.all = all;
    }

    @Override
    public boolean hasNext() {
      while (next == null && at < all.length) {
        Object found = all.get(at);
        at++;
        next = found == null || found == REMOVED ? null : element(found);
      }
      return next != null;
    }

    @Override
    public E next() {
      E element = hasNext() ? next : null;
      if (element == null) {
        throw new NoSuchElementException();
      }
      next = null;
      return element;
    }
  }
}
