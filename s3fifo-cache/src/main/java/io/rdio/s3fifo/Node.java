// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import io.rdio.s3fifo.policy.S3FifoEntry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the cache: a key and its value, which may be exchanged until it is taken.
 *
 * <p>A node lives while it has a value. Whoever takes the value out, atomically, ends it and must
 * remove it from the table and tell the listeners; so an entry that is evicted, invalidated and
 * overwritten at once is freed once. A node is compared by identity: the entry of the same key that
 * came after it is another node.
 */
class Node<K, V> extends S3FifoEntry {
  private static final VarHandle VALUE;

  static {
    try {
      VALUE = MethodHandles.lookup().findVarHandle(Node.class, "value", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final K key;

  // Accessed through VALUE after construction.
  @SuppressWarnings({"unused", "FieldMayBeFinal"})
  private @Nullable Object value;

  Node(K key, @Nullable V value) {
    this.key = key;
    this.value = value;
  }

  final K key() {
    return key;
  }

  /** Returns the value; null if the node is dead or has none yet. */
  @SuppressWarnings("unchecked") // Only a V is ever stored.
  final @Nullable V value() {
    return (V) VALUE.getAcquire(this);
  }

  /** Ends the node and returns its value; null if somebody else has ended it. */
  @SuppressWarnings("unchecked")
  final @Nullable V take() {
    return (V) VALUE.getAndSet(this, null);
  }

  /** Ends the node if it has {@code expected} (the same object) and returns whether it had. */
  final boolean take(V expected) {
    return VALUE.compareAndSet(this, expected, null);
  }

  /** Exchanges the value and returns the old one; null, and no change, if the node is dead. */
  @Nullable V exchange(V newValue, int newWeight) {
    for (V old = value(); old != null; old = value()) {
      // Writing what is there already would only take the cache line away from readers.
      if (old == newValue || VALUE.compareAndSet(this, old, newValue)) {
        return old;
      }
    }
    return null;
  }

  /** Exchanges the value if it is {@code expected} (the same object) and returns whether it was. */
  boolean exchange(V expected, V newValue, int newWeight) {
    return VALUE.compareAndSet(this, expected, newValue);
  }

  @Override
  public final int fingerprint() {
    return key.hashCode();
  }

  /** A node that has a weight of its own. */
  static final class Weighted<K, V> extends Node<K, V> {
    private volatile int weight;

    // Used under the eviction lock only, beside whose cost that of a volatile write does not count.
    private volatile int queuedWeight;

    Weighted(K key, V value, int weight) {
      super(key, value);
      this.weight = weight;
    }

    // Locked, so that of two exchanges the one whose value stays is also the one whose weight does.
    @Override
    synchronized @Nullable V exchange(V newValue, int newWeight) {
      V old = super.exchange(newValue, newWeight);
      if (old != null) {
        weight = newWeight;
      }
      return old;
    }

    @Override
    synchronized boolean exchange(V expected, V newValue, int newWeight) {
      boolean exchanged = super.exchange(expected, newValue, newWeight);
      if (exchanged) {
        weight = newWeight;
      }
      return exchanged;
    }

    @Override
    public int weight() {
      return weight;
    }

    @Override
    protected int queuedWeight() {
      return queuedWeight;
    }

    @Override
    protected void queuedWeight(int newWeight) {
      queuedWeight = newWeight;
    }
  }
}
