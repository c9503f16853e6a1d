// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The cache seen as a map: the atomic operations of a concurrent map, and iteration. */
final class MapView<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {
  private final BoundedCache<K, V> cache;

  MapView(BoundedCache<K, V> cache) {
    this.cache = cache;
  }

  @Override
  public @Nullable V get(Object key) {
    return cache.find(key);
  }

  @Override
  public @Nullable V getOrDefault(Object key, @Nullable V absent) {
    V value = get(key);
    return value == null ? absent : value;
  }

  @Override
  public boolean containsKey(Object key) {
    Node<K, V> node = cache.table().get(key);
    return node != null && node.value() != null;
  }

  @Override
  public @Nullable V put(K key, V value) {
    return cache.replaceOrAdd(key, value, false);
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    return cache.replaceOrAdd(key, value, true);
  }

  @Override
  public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends V> function) {
    V value = cache.find(key);
    return value != null ? value : cache.load(key, function);
  }

  @Override
  public @Nullable V remove(Object key) {
    return cache.remove(key);
  }

  @Override
  public boolean remove(Object key, @Nullable Object value) {
    return value != null && cache.remove(key, value);
  }

  @Override
  public boolean replace(K key, V expected, V value) {
    return cache.replace(key, expected, value);
  }

  @Override
  public @Nullable V replace(K key, V value) {
    for (V old = cache.find(key); old != null; old = cache.find(key)) {
      if (cache.replace(key, old, value)) {
        return old;
      }
    }
    return null;
  }

  @Override
  public void clear() {
    cache.invalidateAll();
  }

  @Override
  public Set<Entry<K, V>> entrySet() {
    return new Entries();
  }

  private final class Entries extends AbstractSet<Entry<K, V>> {
    @Override
    public int size() {
      return (int) Math.min(cache.estimatedSize(), Integer.MAX_VALUE);
    }

    @Override
    public Iterator<Entry<K, V>> iterator() {
      return new EntryIterator();
    }

    @Override
    public boolean contains(@Nullable Object o) {
      return o instanceof Map.Entry<?, ?> entry
          && entry.getKey() != null
          && entry.getValue() != null
          && entry.getValue().equals(get(entry.getKey()));
    }

    @Override
    public boolean remove(@Nullable Object o) {
      return o instanceof Map.Entry<?, ?> entry
          && entry.getKey() != null
          && MapView.this.remove(entry.getKey(), entry.getValue());
    }

    @Override
    public void clear() {
      cache.invalidateAll();
    }
  }

  /** Walks the table; passes over nodes that have no value. */
  private final class EntryIterator implements Iterator<Entry<K, V>> {
    private final Iterator<Node<K, V>> nodes = cache.table().values().iterator();
    private @Nullable Entry<K, V> next;
    private @Nullable K last;

    EntryIterator() {
      advance();
    }

    @Override
    public boolean hasNext() {
      return next != null;
    }

    @Override
    public Entry<K, V> next() {
      Entry<K, V> entry = next;
      if (entry == null) {
        throw new NoSuchElementException();
      }
      last = entry.getKey();
      advance();
      return entry;
    }

    @Override
    public void remove() {
      if (last == null) {
        throw new IllegalStateException("call next before remove");
      }
      cache.invalidate(last);
      last = null;
    }

    private void advance() {
      next = null;
      while (next == null && nodes.hasNext()) {
        Node<K, V> node = nodes.next();
        V value = node.value();
        if (value != null) {
          next = new WriteThroughEntry(node.key(), value);
        }
      }
    }
  }

  private final class WriteThroughEntry extends SimpleEntry<K, V> {
    private static final long serialVersionUID = 1L;

    WriteThroughEntry(K key, V value) {
      super(key, value);
    }

    @Override
    public V setValue(V value) {
      put(getKey(), value);
      return super.setValue(value);
    }
  }
}
