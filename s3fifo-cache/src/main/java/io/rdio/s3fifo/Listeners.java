// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Those who want to know of values that left the cache. */
record Listeners<K, V>(
    @Nullable RemovalListener<? super K, ? super V> onRemoval,
    @Nullable RemovalListener<? super K, ? super V> onEviction) {

  private static final System.Logger LOG = System.getLogger(Cache.class.getName());

  /** Returns whether anybody listens. */
  boolean any() {
    return onRemoval != null || onEviction != null;
  }

  /** Tells them; must be called with no lock held. */
  void removed(K key, V value, RemovalCause cause) {
    if (onEviction != null && cause.wasEvicted()) {
      tell(onEviction, key, value, cause);
    }
    if (onRemoval != null) {
      tell(onRemoval, key, value, cause);
    }
  }

  @SuppressWarnings("CatchAndPrintStackTrace") // Logged; the cache must go on.
  private static <K, V> void tell(
      RemovalListener<? super K, ? super V> listener, K key, V value, RemovalCause cause) {
    try {
      listener.onRemoval(key, value, cause);
    } catch (RuntimeException e) {
      LOG.log(
          Level.WARNING,
          "the removal listener " + listener + " threw for key " + key + ", removed by " + cause,
          e);
    }
  }
}
