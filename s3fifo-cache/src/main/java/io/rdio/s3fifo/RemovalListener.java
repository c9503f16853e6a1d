// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

/**
 * Told of values that left the cache: the place to free what they hold.
 *
 * <p>Called once per value, after it can no longer be found, by the thread whose operation removed
 * it, with no lock held; so it may use the cache, and a slow one slows that thread only. An
 * exception is logged and goes no further. A reader may have obtained the value just before: values
 * that are freed by hand need a reference count that readers take before they use them.
 */
@FunctionalInterface
public interface RemovalListener<K, V> {
  /** Is told that {@code value} has left the cache. */
  void onRemoval(K key, V value, RemovalCause cause);
}
