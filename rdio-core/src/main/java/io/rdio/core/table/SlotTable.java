// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.table;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A concurrent hash table of elements that carry their keys themselves. It takes one slot for each,
 * 5 to 7 bytes: a map from keys to elements would take a node for each as well, 32 bytes and more.
 * Thread-safe; lookups take no lock and allocate nothing, so that threads which only look up do not
 * slow each other down.
 *
 * @param <K> with {@code equals} and {@code hashCode}
 * @param <E> compared by identity; its key never changes
 */
public final class SlotTable<K, E> implements Iterable<E> {
  private static final int GOLDEN_RATIO = 0x9E3779B9;

  private final Function<? super E, ? extends K> keys;
  private final Segment<K, E>[] segments;
  private final int segmentBits;

  /**
   * @param keys the key of an element
   * @param segmentBits 1 to 16: so many bits of the hash choose one of the segments, each of which
   *     grows by itself and admits one writer at a time
   */
  public SlotTable(Function<? super E, ? extends K> keys, int segmentBits) {
    this.keys = keys;
    this.segmentBits = segmentBits;
    this.segments = segments(keys, segmentBits);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // no array of a generic type can be made
  private static <K, E> Segment<K, E>[] segments(
      Function<? super E, ? extends K> keys, int segmentBits) {
    Segment[] all = new Segment[1 << segmentBits];
    for (int i = 0; i < all.length; i++) {
      all[i] = new Segment<K, E>(keys, segmentBits);
    }
    return all;
  }

  /** The element with this key; null if there is none. */
  public @Nullable E find(K key) {
    int hash = hash(key);
    return segment(hash).find(key, hash);
  }

  /** Adds an element in place of the one with the same key, which is returned, if there is one. */
  public @Nullable E put(E element) {
    K key = keys.apply(element);
    int hash = hash(key);
    return segment(hash).put(element, key, hash, true);
  }

  /** Adds an element unless there is one with the same key: then that one is returned. */
  public @Nullable E putIfAbsent(E element) {
    K key = keys.apply(element);
    int hash = hash(key);
    return segment(hash).put(element, key, hash, false);
  }

  /** Takes out this very element; true for the one caller that does. */
  public boolean remove(E element) {
    int hash = hash(keys.apply(element));
    return segment(hash).remove(element, hash);
  }

  /** Number of elements; of a moment only if nobody writes. */
  public int size() {
    int size = 0;
    for (Segment<K, E> segment : segments) {
      size += segment.size();
    }
    return size;
  }

  /** Every element that is in the table all the while; others perhaps. Cannot remove. */
  @Override
  public Iterator<E> iterator() {
    return new Walk();
  }

  private Segment<K, E> segment(int hash) {
    return segments[hash >>> (Integer.SIZE - segmentBits)];
  }

  /** Ids count up: without this they would lie side by side. */
  static int hash(Object key) {
    int h = key.hashCode() * GOLDEN_RATIO;
    h = (h ^ (h >>> 15)) * GOLDEN_RATIO;
    return h ^ (h >>> 16);
  }

  private final class Walk implements Iterator<E> {
    private int segment;
    private Iterator<E> within = segments[0].iterator();

    @Override
    public boolean hasNext() {
      while (!within.hasNext() && segment + 1 < segments.length) {
        segment++;
        within = segments[segment].iterator();
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
