// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The bytes of one chunk in a slot of their own. The slot goes back to its pool when the last user
 * has let go, so it is never overwritten under a reader. Thread-safe, without locks.
 *
 * <p>It begins with one user, the cache; a chunk without users stays so.
 */
final class CachedChunk {
  private static final VarHandle USERS;

  static {
    try {
      USERS = MethodHandles.lookup().findVarHandle(CachedChunk.class, "users", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final SlotPool pool;
  private final ByteBuffer slot;
  private final int length;
  private final int ticket;
  private volatile int users = 1;
  private volatile boolean hit;

  /**
   * @param slot owned by this chunk from now on, filled already
   * @param length bytes of the chunk; the last one of a block may be short
   * @param ticket of the flash tier; any number where there is none
   */
  CachedChunk(SlotPool pool, ByteBuffer slot, int length, int ticket) {
    this.pool = pool;
    this.slot = slot;
    this.length = length;
    this.ticket = ticket;
  }

  /** By which the flash tier may take it. */
  int ticket() {
    return ticket;
  }

  /** Notes that somebody found it here. */
  void hit() {
    if (!hit) {
      hit = true;
    }
  }

  /** Whether somebody did. */
  boolean wasHit() {
    return hit;
  }

  int length() {
    return length;
  }

  /** The bytes, from index 0 on; only between {@link #acquire} and {@link #release}. */
  ByteBuffer bytes() {
    return slot;
  }

  /** Makes the caller a user, who must {@link #release}; false if the slot was given back. */
  boolean acquire() {
    for (int present = users; present > 0; present = users) {
      if (USERS.compareAndSet(this, present, present + 1)) {
        return true;
      }
    }
    return false;
  }

  /** Ends one use. */
  void release() {
    int before = (int) USERS.getAndAdd(this, -1);
    if (before <= 0) {
      throw new IllegalStateException("a cached chunk was released more often than acquired");
    }
    if (before == 1) {
      pool.giveBack(slot);
    }
  }
}
