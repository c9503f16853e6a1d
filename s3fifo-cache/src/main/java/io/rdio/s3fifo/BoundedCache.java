// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The cache: a concurrent hash table of nodes, whose writes are told to the eviction policy.
 *
 * <p>A key is present if the table has a node for it that has a value. A node without one is either
 * dead, on its way out of the table, or holds the place for a load; both give way to a node that
 * has a value. The table's own locks are held only for its own operations.
 */
final class BoundedCache<K, V> implements Cache<K, V> {
  private final ConcurrentHashMap<K, Node<K, V>> table;
  private final Map<Thread, LoadingNode<K, V>> waiting = new ConcurrentHashMap<>();
  private final Eviction<K, V> eviction;
  private final Listeners<K, V> listeners;
  private final @Nullable Weigher<? super K, ? super V> weigher;
  private final @Nullable Counters counters;
  private final MapView<K, V> mapView = new MapView<>(this);

  BoundedCache(S3Fifo.Settings<K, V> settings) {
    this.table = new ConcurrentHashMap<>(settings.initialCapacity());
    this.weigher = settings.weigher();
    this.counters = settings.recordStats() ? new Counters() : null;
    this.listeners = new Listeners<>(settings.removalListener(), settings.evictionListener());
    this.eviction =
        new Eviction<>(settings.maximum(), weigher != null, settings.options(), table, listeners);
  }

  @Override
  public @Nullable V getIfPresent(K key) {
    V value = find(key);
    if (counters != null) {
      count(counters, value != null);
    }
    return value;
  }

  @Override
  public @Nullable V get(K key, Function<? super K, ? extends @Nullable V> loader) {
    V value = getIfPresent(key);
    return value != null ? value : load(key, loader);
  }

  @Override
  public Map<K, V> getAllPresent(Iterable<? extends K> keys) {
    Map<K, @Nullable V> found = new LinkedHashMap<>();
    lookUp(keys, found);
    return present(found);
  }

  @Override
  public Map<K, V> getAll(
      Iterable<? extends K> keys, Function<? super Set<K>, ? extends Map<K, V>> loader) {
    Map<K, @Nullable V> found = new LinkedHashMap<>();
    Set<K> missing = lookUp(keys, found);
    if (!missing.isEmpty()) {
      Map<K, V> loaded = loadAll(Collections.unmodifiableSet(missing), loader);
      missing.forEach(key -> found.put(key, loaded.get(key)));
    }
    return present(found);
  }

  @Override
  public void put(K key, V value) {
    replaceOrAdd(key, value, false);
  }

  @Override
  public void putAll(Map<? extends K, ? extends V> map) {
    map.forEach(this::put);
  }

  @Override
  public void invalidate(K key) {
    remove(key);
  }

  @Override
  public void invalidateAll(Iterable<? extends K> keys) {
    keys.forEach(this::invalidate);
  }

  @Override
  public void invalidateAll() {
    table.keySet().forEach(this::invalidate);
  }

  @Override
  public long estimatedSize() {
    return table.mappingCount();
  }

  @Override
  public CacheStats stats() {
    return eviction.stats(counters);
  }

  @Override
  public ConcurrentMap<K, V> asMap() {
    return mapView;
  }

  @Override
  public Policy policy() {
    return eviction;
  }

  @Override
  public void cleanUp() {
    eviction.cleanUp();
  }

  /** Returns the value of {@code key} and counts a hit in its entry, but not in the statistics. */
  @Nullable V find(Object key) {
    Node<K, V> node = table.get(key);
    if (node == null) {
      return null;
    }
    V value = node.value();
    if (value != null) {
      node.hit();
    }
    return value;
  }

  /** Returns the table, for iteration. */
  ConcurrentMap<K, Node<K, V>> table() {
    return table;
  }

  /**
   * Sets the value of {@code key}, unless {@code onlyIfAbsent} and it has one; returns the value
   * that it had.
   */
  @Nullable V replaceOrAdd(K key, V value, boolean onlyIfAbsent) {
    int weight = weigh(key, value);
    Node<K, V> fresh = null;
    for (Node<K, V> prior = table.get(key); ; prior = table.get(key)) {
      if (prior != null) {
        V old = onlyIfAbsent ? prior.value() : prior.exchange(value, weight);
        if (old != null) {
          prior.hit();
          if (!onlyIfAbsent) {
            exchanged(prior, old, value);
          }
          return old;
        }
      }
      fresh = fresh == null ? newNode(key, value, weight) : fresh;
      if (prior == null ? table.putIfAbsent(key, fresh) == null : swap(prior, fresh)) {
        eviction.changed(fresh);
        return null;
      }
    }
  }

  /** Replaces {@code expected}, by {@code equals}, and returns whether the key had it. */
  boolean replace(K key, V expected, V value) {
    int weight = weigh(key, value);
    for (Node<K, V> node = table.get(key); node != null; ) {
      V old = node.value();
      if (old == null || !old.equals(expected)) {
        return false;
      }
      if (node.exchange(old, value, weight)) {
        node.hit();
        exchanged(node, old, value);
        return true;
      }
    }
    return false;
  }

  /**
   * Removes {@code key} and returns the value that it had; stops a load of it from being cached.
   */
  @Nullable V remove(Object key) {
    Node<K, V> node = table.remove(key);
    V value = node == null ? null : node.take();
    if (node != null && value != null) {
      eviction.changed(node);
      listeners.removed(node.key(), value, RemovalCause.EXPLICIT);
    }
    return value;
  }

  /** Removes {@code expected}, by {@code equals}, and returns whether the key had it. */
  boolean remove(Object key, Object expected) {
    for (Node<K, V> node = table.get(key); node != null; ) {
      V value = node.value();
      if (value == null || !value.equals(expected)) {
        return false;
      }
      if (node.take(value)) {
        table.remove(node.key(), node);
        eviction.changed(node);
        listeners.removed(node.key(), value, RemovalCause.EXPLICIT);
        return true;
      }
    }
    return false;
  }

  /** Loads a value that a lookup did not find; the lookup is in the statistics already. */
  @Nullable V load(K key, Function<? super K, ? extends @Nullable V> loader) {
    LoadingNode<K, V> mine = null;
    for (; ; ) {
      mine = mine == null ? new LoadingNode<>(key) : mine;
      Node<K, V> prior = table.putIfAbsent(key, mine);
      if (prior == null) {
        return runLoader(mine, loader);
      }
      V value = prior.value();
      if (value == null && prior instanceof LoadingNode<K, V> load) {
        value = load.await(waiting);
      } else if (value == null) {
        // Dead: whoever ended it will remove it too, but need not have done so yet.
        table.remove(key, prior);
      } else {
        prior.hit();
      }
      if (value != null) {
        return value;
      }
    }
  }

  private @Nullable V runLoader(
      LoadingNode<K, V> place, Function<? super K, ? extends @Nullable V> loader) {
    K key = place.key();
    V result = null;
    long start = counters == null ? 0 : System.nanoTime();
    try {
      V loaded = loader.apply(key);
      if (loaded != null) {
        result = install(place, loaded);
      }
      return result;
    } finally {
      if (counters != null) {
        counters.load(result != null, System.nanoTime() - start);
      }
      if (result == null) {
        table.remove(key, place);
      }
      place.finish(result);
    }
  }

  private V install(LoadingNode<K, V> place, V loaded) {
    K key = place.key();
    Node<K, V> node = newNode(key, loaded, weigh(key, loaded));
    if (table.replace(key, place, node)) {
      eviction.changed(node);
      return loaded;
    }
    V winner = find(key);
    listeners.removed(key, loaded, winner == null ? RemovalCause.EXPLICIT : RemovalCause.REPLACED);
    return winner == null ? loaded : winner;
  }

  /** Enters each key with its value or null, in order, and returns those that have none. */
  private Set<K> lookUp(Iterable<? extends K> keys, Map<K, @Nullable V> found) {
    Set<K> missing = new LinkedHashSet<>();
    for (K key : keys) {
      if (!found.containsKey(key)) {
        V value = find(key);
        found.put(key, value);
        if (value == null) {
          missing.add(key);
        }
      }
    }
    if (counters != null) {
      counters.lookups(found.size() - missing.size(), missing.size());
    }
    return missing;
  }

  private static <K, V> Map<K, V> present(Map<K, @Nullable V> found) {
    found.values().removeIf(Objects::isNull);
    @SuppressWarnings({"unchecked", "NullAway"}) // No nulls are left.
    Map<K, V> present = (Map<K, V>) (Map<K, ?>) found;
    return Collections.unmodifiableMap(present);
  }

  private Map<K, V> loadAll(Set<K> keys, Function<? super Set<K>, ? extends Map<K, V>> loader) {
    boolean success = false;
    long start = counters == null ? 0 : System.nanoTime();
    try {
      Map<K, V> loaded = loader.apply(keys);
      putAll(loaded);
      success = true;
      return loaded;
    } finally {
      if (counters != null) {
        counters.load(success, System.nanoTime() - start);
      }
    }
  }

  private boolean swap(Node<K, V> prior, Node<K, V> fresh) {
    return table.replace(fresh.key(), prior, fresh);
  }

  private void exchanged(Node<K, V> node, V old, V value) {
    if (weigher != null) {
      eviction.changed(node);
    }
    if (old != value) {
      listeners.removed(node.key(), old, RemovalCause.REPLACED);
    }
  }

  private Node<K, V> newNode(K key, V value, int weight) {
    return weigher == null ? new Node<>(key, value) : new Node.Weighted<>(key, value, weight);
  }

  private int weigh(K key, V value) {
    Objects.requireNonNull(value, "value");
    if (weigher == null) {
      return 1;
    }
    int weight = weigher.weigh(key, value);
    if (weight < 0) {
      throw new IllegalArgumentException(
          "the weigher returned " + weight + " for key " + key + ", must be at least 0");
    }
    return weight;
  }

  private static void count(Counters counters, boolean hit) {
    if (hit) {
      counters.hit();
    } else {
      counters.miss();
    }
  }
}
