// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds the place of a key in the table while one thread loads its value. It never has a value
 * itself, so readers pass over it; when the load is done an ordinary node takes its place.
 */
final class LoadingNode<K, V> extends Node<K, V> {
  private final Thread loader = Thread.currentThread();
  private boolean done;
  private @Nullable V result;

  LoadingNode(K key) {
    super(key, null);
  }

  /** Wakes the threads that wait, with the value that was loaded; null if none was. */
  synchronized void finish(@Nullable V loaded) {
    result = loaded;
    done = true;
    notifyAll();
  }

  /**
   * Waits for the load to end and returns its value; null if it gave none. Goes on waiting when
   * interrupted, and keeps the interrupt.
   *
   * @param waiting which thread waits for which load, in this cache
   * @throws IllegalStateException if the load waits, perhaps over other threads, for this thread
   */
  @Nullable V await(Map<Thread, LoadingNode<K, V>> waiting) {
    Thread self = Thread.currentThread();
    waiting.put(self, this);
    try {
      refuseCycle(self, waiting);
      return awaitDone();
    } finally {
      waiting.remove(self);
    }
  }

  // Every thread enters what it waits for before it looks: of the threads of a cycle the last to
  // enter
  // sees it whole.
  private void refuseCycle(Thread self, Map<Thread, LoadingNode<K, V>> waiting) {
    LoadingNode<K, V> load = this;
    while (load != null) {
      if (load.loader == self) {
        throw new IllegalStateException(
            "loading key "
                + key()
                + " waits for itself: the load of key "
                + load.key()
                + " by this thread is not done yet; a loader must not ask for its own key");
      }
      load = waiting.get(load.loader);
    }
  }

  private synchronized @Nullable V awaitDone() {
    boolean interrupted = false;
    while (!done) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return result;
  }
}
