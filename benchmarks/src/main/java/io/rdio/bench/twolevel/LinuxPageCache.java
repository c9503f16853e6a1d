// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.simulator.ObjectLists;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Level 1 as Linux replaces pages of files without MGLRU (mm/vmscan.c, mm/workingset.c), since that
 * is what a compute node really has below its applications. By LRU level 2 would see other
 * evictions: here pages that were read again outlive a scan, and what a scan brings leaves earlier.
 *
 * <ul>
 *   <li>A new page goes to the head of the <i>inactive</i> list. Read again there it is marked as
 *       referenced, and the next time moved to the head of the <i>active</i> list.
 *   <li>A page that comes back after its eviction goes to the active list at once if the pages that
 *       left or were activated in between would have fitted into the active list (refault
 *       distance).
 *   <li>Evicted is the inactive list's tail, referenced or not. Before that the active list's tail
 *       moves to the inactive list's head if the inactive list is the shorter one, or if refaults
 *       were activated since the last eviction.
 * </ul>
 *
 * <p>That ratio of 1 between the lists is the kernel's below 1 GB of page cache. Left out: batches
 * of 32 pages, large folios, pages that are mapped.
 */
final class LinuxPageCache implements PageCache {
  private static final int INACTIVE = 0;
  private static final int ACTIVE = 1;
  private static final int NEVER_EVICTED = -1;

  private final int capacity;
  private final IntConsumer evicted;
  private final ObjectLists lists;
  private final boolean[] referenced;
  // Of each page that was evicted, what age was then.
  private final int[] evictedAt;
  // Pages evicted or activated so far.
  private int age;
  private boolean activatedRefault;

  LinuxPageCache(int blocks, int capacity, IntConsumer evicted) {
    this.capacity = capacity;
    this.evicted = evicted;
    lists = new ObjectLists(blocks, 2);
    referenced = new boolean[blocks];
    evictedAt = new int[blocks];
    Arrays.fill(evictedAt, NEVER_EVICTED);
  }

  @Override
  public boolean contains(int block) {
    return lists.listOf(block) != ObjectLists.NONE;
  }

  private int size() {
    return lists.size(INACTIVE) + lists.size(ACTIVE);
  }

  @Override
  public boolean read(int block) {
    if (!contains(block)) {
      return false;
    }
    if (lists.listOf(block) == INACTIVE && referenced[block]) {
      referenced[block] = false;
      age++;
      lists.moveToHead(ACTIVE, block);
    } else {
      referenced[block] = true;
    }
    return true;
  }

  @Override
  public void add(int block) {
    if (size() == capacity) {
      evict();
    }
    boolean refault = evictedAt[block] != NEVER_EVICTED;
    if (refault && age - evictedAt[block] <= lists.size(ACTIVE)) {
      activatedRefault = true;
      age++;
      lists.moveToHead(ACTIVE, block);
    } else {
      lists.moveToHead(INACTIVE, block);
    }
  }

  private void evict() {
    boolean inactiveIsLow = lists.size(INACTIVE) < lists.size(ACTIVE);
    if ((inactiveIsLow || activatedRefault) && lists.size(ACTIVE) > 0) {
      lists.moveToHead(INACTIVE, lists.tail(ACTIVE));
    }
    activatedRefault = false;
    int victim = lists.removeTail(INACTIVE);
    referenced[victim] = false;
    evictedAt[victim] = age++;
    evicted.accept(victim);
  }
}
