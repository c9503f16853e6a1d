// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.s3fifo.policy.S3FifoOptions;
import io.rdio.s3fifo.policy.S3FifoPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jctools.queues.MpscArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Tells the policy, which is single-threaded, of what many threads write.
 *
 * <p>A writer that finds the policy free runs it itself; one that finds it busy leaves its node in
 * a bounded queue, and whoever holds the policy works the queue off. Only when that queue is full
 * does a writer wait. What is queued is the node, not what was done to it: the policy is brought in
 * line with the state that the node has then, so order does not matter and repetition does no harm.
 */
final class Eviction<K, V> implements Policy {
  private static final int MAX_BACKLOG = 1024;

  /** Entries in the cache for each write that may be pending: a longer backlog would enlarge it. */
  private static final int ENTRIES_PER_PENDING_WRITE = 256;

  /** An evicted entry of which the listeners must be told. */
  private record Evicted<K, V>(K key, V value) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final MpscArrayQueue<Node<K, V>> pending = new MpscArrayQueue<>(MAX_BACKLOG);
  private final ConcurrentMap<K, Node<K, V>> table;
  private final Listeners<K, V> listeners;
  private final boolean weighted;

  @GuardedBy("lock")
  private final S3FifoPolicy<Node<K, V>> policy;

  @GuardedBy("lock")
  private List<Evicted<K, V>> untold = new ArrayList<>();

  @GuardedBy("lock")
  private long evictions;

  @GuardedBy("lock")
  private long evictedWeight;

  // Written under lock.
  private volatile int backlogLimit;

  @SuppressWarnings("GuardedBy") // evict: the policy calls it from its own calls, under the lock
  Eviction(
      long maximum,
      boolean weighted,
      S3FifoOptions options,
      ConcurrentMap<K, Node<K, V>> table,
      Listeners<K, V> listeners) {
    this.table = table;
    this.listeners = listeners;
    this.weighted = weighted;
    this.policy = new S3FifoPolicy<>(maximum, weighted, options, this::evict);
  }

  /**
   * Has the policy take note of a node that was added to or removed from the table or reweighed.
   */
  void changed(Node<K, V> node) {
    if (lock.tryLock()) {
      runAndUnlock(node);
    } else if (pending.size() >= backlogLimit || !pending.offer(node)) {
      lock.lock();
      runAndUnlock(node);
    }
    // Also for nodes left here by others between the end of our run and the unlocking.
    while (!pending.isEmpty() && lock.tryLock()) {
      runAndUnlock(null);
    }
  }

  /** Works off what is pending. */
  void cleanUp() {
    lock.lock();
    runAndUnlock(null);
  }

  CacheStats stats(@Nullable Counters counters) {
    lock.lock();
    try {
      return Counters.snapshot(counters, evictions, evictedWeight, policy.ghostHits());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isWeighted() {
    return weighted;
  }

  @Override
  public long getMaximum() {
    lock.lock();
    try {
      return policy.maximum();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void setMaximum(long maximum) {
    List<Evicted<K, V>> gone;
    lock.lock();
    try {
      workOff();
      policy.setMaximum(maximum);
      gone = takeUntold();
    } finally {
      lock.unlock();
    }
    tell(gone);
  }

  @Override
  public QueueSizes sizes() {
    cleanUp();
    lock.lock();
    try {
      return new QueueSizes(
          policy.smallSize(),
          policy.smallWeight(),
          policy.mainSize(),
          policy.mainWeight(),
          policy.ghostSize(),
          policy.smallRatio());
    } finally {
      lock.unlock();
    }
  }

  private void runAndUnlock(@Nullable Node<K, V> node) {
    List<Evicted<K, V>> gone;
    try {
      workOff();
      if (node != null) {
        apply(node);
      }
      gone = takeUntold();
    } finally {
      lock.unlock();
    }
    tell(gone);
  }

  @GuardedBy("lock")
  private void workOff() {
    for (Node<K, V> node = pending.poll(); node != null; node = pending.poll()) {
      apply(node);
    }
    int limit = (policy.smallSize() + policy.mainSize()) / ENTRIES_PER_PENDING_WRITE;
    if (limit != backlogLimit) {
      backlogLimit = limit;
    }
  }

  @GuardedBy("lock")
  private void apply(Node<K, V> node) {
    if (node.value() == null) {
      policy.remove(node);
    } else {
      policy.update(node);
    }
  }

  @GuardedBy("lock")
  private boolean evict(Node<K, V> node) {
    V value = node.take();
    if (value == null) {
      return false;
    }
    table.remove(node.key(), node);
    evictions++;
    evictedWeight += node.weight();
    if (listeners.any()) {
      untold.add(new Evicted<>(node.key(), value));
    }
    return true;
  }

  @GuardedBy("lock")
  private List<Evicted<K, V>> takeUntold() {
    if (untold.isEmpty()) {
      return List.of();
    }
    List<Evicted<K, V>> gone = untold;
    untold = new ArrayList<>();
    return gone;
  }

  private void tell(List<Evicted<K, V>> gone) {
    for (Evicted<K, V> entry : gone) {
      listeners.removed(entry.key(), entry.value(), RemovalCause.SIZE);
    }
  }
}
