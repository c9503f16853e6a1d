// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The {@link RegionLog} for any number of threads, until it ends, once and for good; then it has
 * nothing. No method waits for a device, and each has the lock for as long as it takes at most to
 * copy one chunk, or to look at the chunks of one region.
 */
final class SharedLog {
  /** What became of a chunk that was to be added. */
  enum Added {
    /** It was here. */
    ALREADY,
    /** It is here now. */
    NOW,
    /** No region is open: the file does not keep up. */
    NO_ROOM,
    /** It must not be here any more, or the log has ended. */
    REFUSED
  }

  /**
   * A chunk, as it was found.
   *
   * @param sum that its bytes must have
   * @param round of its region then: in a later one the slot may have another chunk
   * @param copied whether its bytes were in memory, and were copied
   */
  record Found(int slot, int sum, int round, boolean copied) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();

  @GuardedBy("lock")
  private final RegionLog log;

  private volatile boolean on = true; // written under the lock

  SharedLog(RegionLog log) {
    this.log = log;
  }

  boolean isOn() {
    return on;
  }

  /** Chunks. */
  int size() {
    lock.lock();
    try {
      return log.index().size();
    } finally {
      lock.unlock();
    }
  }

  boolean holds(long hash) {
    lock.lock();
    try {
      return log.index().find(hash) != FlashIndex.NONE;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Copies a chunk to the tail of the queue.
   *
   * @param valid asked with the lock held: a drop whose first step makes it false finds the chunk
   */
  Added add(long hash, int sum, int length, ByteBuffer bytes, BooleanSupplier valid) {
    lock.lock();
    try {
      if (!on || !valid.getAsBoolean()) {
        return Added.REFUSED;
      }
      if (log.index().find(hash) != FlashIndex.NONE) {
        return Added.ALREADY;
      }
      if (!log.add(hash, sum, length, bytes)) {
        return Added.NO_ROOM;
      }
      if (log.full() != null) {
        work.signal();
      }
      return Added.NOW;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Finds a chunk, which counts as a hit of it, and copies it if it is not in the file yet; null if
   * it is not here.
   */
  @Nullable Found find(long hash, int length, ByteBuffer to) {
    lock.lock();
    try {
      int slot = log.index().find(hash);
      if (slot == FlashIndex.NONE) {
        return null;
      }
      log.index().hit(slot);
      int region = log.regionOf(slot);
      Region memory = log.memoryOf(region);
      if (memory != null) {
        memory.copy(log.withinRegion(slot), to, length);
      }
      return new Found(slot, log.index().sumOf(slot), log.roundOf(region), memory != null);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes a chunk whose bytes did not have their sum.
   *
   * @return false if its region is in use again: it was read too late, which is nobody's fault
   */
  boolean removeWrong(long hash, Found found) {
    lock.lock();
    try {
      boolean wrong =
          on
              && log.roundOf(log.regionOf(found.slot())) == found.round()
              && log.index().hashOf(found.slot()) == hash;
      if (wrong) {
        log.index().removeSlot(found.slot());
      }
      return wrong;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes chunks.
   *
   * @return false where nothing is left at all
   */
  boolean remove(long[] hashes) {
    lock.lock();
    try {
      for (int i = 0; i < hashes.length && log.index().size() > 0; i++) {
        log.index().remove(hashes[i]);
      }
      return log.index().size() > 0;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there is something to open or to write, or the log has ended. */
  void awaitWork() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (on && log.full() == null && log.toOpen() == null) {
        work.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** As {@link RegionLog#toOpen}. */
  @Nullable Region toOpen() {
    lock.lock();
    try {
      return on ? log.toOpen() : null;
    } finally {
      lock.unlock();
    }
  }

  /** As {@link RegionLog#hit}. */
  RegionLog.Kept hit() {
    lock.lock();
    try {
      return log.hit();
    } finally {
      lock.unlock();
    }
  }

  /** As {@link RegionLog#open}. */
  void open(RegionLog.Kept kept) {
    lock.lock();
    try {
      if (on) {
        log.open(kept);
      }
    } finally {
      lock.unlock();
    }
  }

  /** As {@link RegionLog#full}. */
  @Nullable Region full() {
    lock.lock();
    try {
      return on ? log.full() : null;
    } finally {
      lock.unlock();
    }
  }

  /** As {@link RegionLog#written}. */
  void written() {
    lock.lock();
    try {
      if (on) {
        log.written();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Forgets all chunks.
   *
   * @return false if it had ended before
   */
  boolean end() {
    lock.lock();
    try {
      boolean was = on;
      on = false;
      log.clear();
      work.signalAll();
      return was;
    } finally {
      lock.unlock();
    }
  }
}
