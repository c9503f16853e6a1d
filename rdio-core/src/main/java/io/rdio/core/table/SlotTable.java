// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.table;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A concurrent hash table of elements that carry their keys themselves. It takes one slot for each,
 * 10 to 13 bytes: a map from keys to elements would take a node for each as well, 32 bytes and
 * more. Thread-safe; lookups take no lock and allocate nothing, so that threads which only look up
 * do not slow each other down.
 *
 * @param <K> with {@code equals} and {@code hashCode}
 * @param <E> compared by identity; its key never changes
 */
public final class SlotTable<K, E> implements Iterable<E> {
  private static final int GOLDEN_RATIO = 0x9E3779B9;

  private final Function<? super E, ? extends K> keys;
  private final Stripe<K, E>[] stripes;
  private final int stripeBits;

  /**
   * @param keys the key of an element
   * @param stripeBits 1 to 16: so many bits of the hash choose one of the stripes, each of which
   *     grows by itself and admits one writer at a time
   */
  public SlotTable(Function<? super E, ? extends K> keys, int stripeBits) {
    this.keys = keys;
    this.stripeBits = stripeBits;
    this.stripes = stripes(keys, stripeBits);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // no array of a generic type can be made
  private static <K, E> Stripe<K, E>[] stripes(
      Function<? super E, ? extends K> keys, int stripeBits) {
    Stripe[] all = new Stripe[1 << stripeBits];
    for (int i = 0; i < all.length; i++) {
      all[i] = new Stripe<K, E>(keys, stripeBits);
    }
    return all;
  }

  /** The element with this key; null if there is none. */
  public @Nullable E find(K key) {
    int hash = hash(key);
    return stripe(hash).find(key, hash);
  }

  /** Adds an element in place of the one with the same key, which is returned, if there is one. */
  public @Nullable E put(E element) {
    K key = keys.apply(element);
    int hash = hash(key);
    return stripe(hash).put(element, key, hash, true);
  }

  /** Adds an element unless there is one with the same key: then that one is returned. */
  public @Nullable E putIfAbsent(E element) {
    K key = keys.apply(element);
    int hash = hash(key);
    return stripe(hash).put(element, key, hash, false);
  }

  /** Takes out this very element; true for the one caller that does. */
  public boolean remove(E element) {
    int hash = hash(keys.apply(element));
    return stripe(hash).remove(element, hash);
  }

  /** Number of elements; of a moment only if nobody writes. */
  public int size() {
    int size = 0;
    for (Stripe<K, E> stripe : stripes) {
      size += stripe.size();
    }
    return size;
  }

  /** Every element that is in the table all the while; others perhaps. Cannot remove. */
  @Override
  public Iterator<E> iterator() {
    return new Walk();
  }

  private Stripe<K, E> stripe(int hash) {
    return stripes[hash >>> (Integer.SIZE - stripeBits)];
  }

  /** Ids count up: without this they would lie side by side. */
  static int hash(Object key) {
    int h = key.hashCode() * GOLDEN_RATIO;
    h = (h ^ (h >>> 15)) * GOLDEN_RATIO;
    return h ^ (h >>> 16);
  }

  private final class Walk implements Iterator<E> {
    private int stripe;
    private Iterator<E> within = stripes[0].iterator();

    @Override
    public boolean hasNext() {
      while (!within.hasNext() && stripe + 1 < stripes.length) {
        stripe++;
        within = stripes[stripe].iterator();
      }
      return within.hasNext();
    }

    @Override
    public E next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return within.next();
    }
  }
}
