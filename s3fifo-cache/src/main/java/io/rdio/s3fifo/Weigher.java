// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

/** Says how much of the cache's maximum weight an entry takes. */
@FunctionalInterface
public interface Weigher<K, V> {
  /**
   * Returns the weight of an entry. Called once per value that is put or loaded.
   *
   * @return at least 0; an entry of weight 0 is never evicted
   */
  int weigh(K key, V value);
}
