// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

/**
 * Which blocks of its devices the storage node caches: the policy of BNEX's PrefCache (APSys'25)
 * alone, without I/O, data, clock or thread. Not thread-safe: whoever shares it holds a lock.
 *
 * <p>Rules:
 *
 * <ul>
 *   <li><b>Admission</b> only by descriptors of evicted blocks. A block that is read and is not
 *       here is not brought here by that.
 *   <li><b>Toss immediately</b>: a block that a compute node reads is in its page cache now, and is
 *       invalid here.
 *   <li><b>Selective retention</b>: a segment stays while less than {@code dropAt} of the blocks
 *       that were admitted to it are invalid; then it is spent, and what is left of it goes unread.
 *   <li>Where there is no room, whole segments go by a {@link SegmentPolicy}. Room is counted in
 *       blocks, those on their way included: what a segment has lost makes room at once.
 * </ul>
 *
 * <p>A block is absent, being fetched, valid or invalid. Being fetched it is no hit: a read or
 * write that comes before its bytes do makes it invalid, and the bytes are not wanted any more when
 * they come. {@link SegmentTable} says what a segment takes of memory.
 */
public final class SegmentCache {
  /** The paper's: a segment goes when three quarters of it are invalid. */
  public static final double DROP_AT = 0.75;

  private static final int DEVICE_SHIFT = 48;
  private static final int MAX_DEVICE = 0xFFFF;

  /**
   * What must be done for the decisions to come true. Calls come from within those of the cache,
   * and of these only {@link SegmentCache#prefetched} and {@link SegmentCache#prefetchFailed} may
   * be called from {@link Listener#prefetch}.
   */
  public interface Listener {
    /**
     * Blocks of one segment are to be fetched; {@link SegmentCache#prefetched} or {@link
     * SegmentCache#prefetchFailed} must follow, at once or later.
     */
    void prefetch(int device, long firstBlock, int blocks);

    /**
     * Valid blocks of one segment are to be let go of, since their segment goes. Not called for
     * blocks that are read or written: who does that knows.
     */
    void discard(int device, long firstBlock, int blocks);
  }

  private final int shift;
  private final double dropAt;
  private final OnWrite onWrite;
  private final Listener listener;
  private final SegmentTable table = new SegmentTable();
  private final SegmentOrder order;

  private long resident;
  private long prefetching;
  private long described;
  private long admitted;
  private long prefetched;
  private long late;
  private long givenUp;
  private long read;
  private long hits;
  private long wasted;
  private long retainedSegments;
  private long spentSegments;
  private long evictedSegments;

  /**
   * @param capacityBytes bound of the blocks that are valid or being fetched; at least one segment
   * @param dropAt share of invalid blocks at which a segment is spent; above 0, at most 1
   */
  public SegmentCache(
      SegmentGeometry geometry,
      long capacityBytes,
      double dropAt,
      SegmentPolicy policy,
      OnWrite onWrite,
      Listener listener) {
    checkLimits(geometry, capacityBytes, dropAt);
    this.shift = Integer.numberOfTrailingZeros(geometry.segmentBlocks());
    this.dropAt = dropAt;
    this.onWrite = onWrite;
    this.listener = listener;
    long capacity = capacityBytes / geometry.blockBytes();
    this.order =
        switch (policy) {
          case FIFO -> new FifoOrder(table, capacity, this::evict);
          case S3_FIFO -> new S3FifoOrder(table, capacity, this::evict);
        };
  }

  /** Throws IllegalArgumentException unless a cache can be made with these. */
  static void checkLimits(SegmentGeometry geometry, long capacityBytes, double dropAt) {
    if (capacityBytes < geometry.segmentBytes()) {
      throw new IllegalArgumentException(
          "a capacity of "
              + capacityBytes
              + " bytes does not hold one segment of "
              + geometry.segmentBytes());
    }
    if (!(dropAt > 0 && dropAt <= 1)) {
      throw new IllegalArgumentException(
          "segments dropped at "
              + dropAt
              + " invalid: must be above 0 and at most 1 (the paper's is 0.75)");
    }
  }

  /**
   * Blocks fell out of a compute node's page cache: those that are neither here nor on their way
   * are to be prefetched.
   *
   * @param device 0 to 65535
   * @return how many of them are to be prefetched
   */
  public int evictedAtCompute(int device, long firstBlock, int blocks) {
    check(device, firstBlock, blocks);
    described += blocks;
    long before = admitted;
    for (long at = firstBlock; at < firstBlock + blocks; at = segmentEnd(at)) {
      admit(key(device, at), mask(at, firstBlock + blocks));
    }
    return (int) (admitted - before);
  }

  /**
   * A compute node reads blocks; who calls this lets go of them afterwards.
   *
   * @return how many of them were valid
   */
  public int read(int device, long firstBlock, int blocks) {
    check(device, firstBlock, blocks);
    read += blocks;
    long before = hits;
    for (long at = firstBlock; at < firstBlock + blocks; at = segmentEnd(at)) {
      int slot = table.find(key(device, at));
      if (slot != SegmentTable.NONE) {
        long wanted = mask(at, firstBlock + blocks);
        long hit = table.valid(slot) & wanted;
        hits += Long.bitCount(hit);
        if (hit != 0) {
          order.hit(slot);
        }
        invalidate(slot, wanted);
      }
    }
    return (int) (hits - before);
  }

  /**
   * A compute node writes blocks. What is being fetched will have the wrong bytes; what is valid
   * goes, and is to be let go of by who calls this, or stays, by {@link OnWrite}.
   *
   * @return how many of them were valid
   */
  public int written(int device, long firstBlock, int blocks) {
    check(device, firstBlock, blocks);
    int found = 0;
    for (long at = firstBlock; at < firstBlock + blocks; at = segmentEnd(at)) {
      int slot = table.find(key(device, at));
      if (slot != SegmentTable.NONE) {
        long written = mask(at, firstBlock + blocks);
        int valid = Long.bitCount(table.valid(slot) & written);
        found += valid;
        if (onWrite == OnWrite.DROP) {
          wasted += valid;
          invalidate(slot, written);
        } else {
          invalidate(slot, written & table.fetching(slot));
        }
      }
    }
    return found;
  }

  /**
   * Blocks were fetched; those that are still wanted are valid now.
   *
   * @return how many; the others were read, written or evicted meanwhile and are to be let go of
   */
  public int prefetched(int device, long firstBlock, int blocks) {
    check(device, firstBlock, blocks);
    long before = prefetched;
    for (long at = firstBlock; at < firstBlock + blocks; at = segmentEnd(at)) {
      int slot = table.find(key(device, at));
      if (slot != SegmentTable.NONE) {
        long came = table.fetching(slot) & mask(at, firstBlock + blocks);
        table.fetched(slot, came);
        int count = Long.bitCount(came);
        prefetching -= count;
        resident += count;
        prefetched += count;
      }
    }
    return (int) (prefetched - before);
  }

  /** Blocks will not be fetched; nothing is known of them any more. */
  void prefetchFailed(int device, long firstBlock, int blocks) {
    check(device, firstBlock, blocks);
    for (long at = firstBlock; at < firstBlock + blocks; at = segmentEnd(at)) {
      int slot = table.find(key(device, at));
      if (slot != SegmentTable.NONE) {
        long missing = table.fetching(slot) & mask(at, firstBlock + blocks);
        table.forget(slot, missing);
        prefetching -= Long.bitCount(missing);
        givenUp += Long.bitCount(missing);
        retainOrDrop(slot);
      }
    }
  }

  /** How many of the blocks are still to be fetched: at 0 nobody wants them any more. */
  int fetching(int device, long firstBlock, int blocks) {
    check(device, firstBlock, blocks);
    int count = 0;
    for (long at = firstBlock; at < firstBlock + blocks; at = segmentEnd(at)) {
      int slot = table.find(key(device, at));
      if (slot != SegmentTable.NONE) {
        count += Long.bitCount(table.fetching(slot) & mask(at, firstBlock + blocks));
      }
    }
    return count;
  }

  /** Whether a block is valid. */
  public boolean isValid(int device, long block) {
    check(device, block, 1);
    int slot = table.find(key(device, block));
    return slot != SegmentTable.NONE && (table.valid(slot) & mask(block, block + 1)) != 0;
  }

  /** Whether a block is valid or being fetched. */
  public boolean isWanted(int device, long block) {
    check(device, block, 1);
    int slot = table.find(key(device, block));
    return slot != SegmentTable.NONE
        && ((table.valid(slot) | table.fetching(slot)) & mask(block, block + 1)) != 0;
  }

  /** What is cached and what was done, now. */
  public SegmentCounts counts() {
    return new SegmentCounts(
        table.size(),
        resident,
        prefetching,
        described,
        admitted,
        prefetched,
        late,
        givenUp,
        read,
        hits,
        wasted,
        retainedSegments,
        spentSegments,
        evictedSegments);
  }

  private void admit(long key, long blocks) {
    int slot = table.find(key);
    long fresh =
        slot == SegmentTable.NONE ? blocks : blocks & ~(table.fetching(slot) | table.valid(slot));
    if (fresh == 0) {
      return;
    }
    if (slot == SegmentTable.NONE) {
      slot = table.add(key);
    }
    table.admit(slot, fresh);
    admitted += Long.bitCount(fresh);
    prefetching += Long.bitCount(fresh);
    order.grown(slot);
    slot = table.find(key); // it may have been the one to go
    if (slot != SegmentTable.NONE) {
      tell(key, fresh, true);
    }
  }

  /** Blocks of a segment are not wanted any more, and perhaps the segment is not. */
  private void invalidate(int slot, long blocks) {
    int lost = Long.bitCount(table.valid(slot) & blocks);
    int overtaken = Long.bitCount(table.fetching(slot) & blocks);
    if (lost + overtaken > 0) {
      resident -= lost;
      prefetching -= overtaken;
      late += overtaken;
      table.invalidate(slot, blocks);
      if (retainOrDrop(slot)) {
        retainedSegments++;
      } else {
        spentSegments++;
      }
    }
  }

  /** Selective retention; whether the segment stays. */
  private boolean retainOrDrop(int slot) {
    long known = table.known(slot);
    int invalid = Long.bitCount(known) - table.weight(slot);
    boolean spent = invalid >= dropAt * Long.bitCount(known);
    if (spent) {
      order.remove(slot);
      drop(slot);
    } else {
      order.shrunk(slot);
    }
    return !spent;
  }

  private void evict(int slot) {
    evictedSegments++;
    drop(slot);
  }

  private void drop(int slot) {
    long key = table.key(slot);
    long valid = table.valid(slot);
    int unread = Long.bitCount(valid);
    int overtaken = Long.bitCount(table.fetching(slot));
    resident -= unread;
    wasted += unread;
    prefetching -= overtaken;
    late += overtaken;
    table.remove(slot);
    tell(key, valid, false);
  }

  /** Calls the listener for each run of blocks of a segment. */
  private void tell(long key, long blocks, boolean wanted) {
    int device = (int) (key >>> DEVICE_SHIFT);
    long start = (key & (1L << DEVICE_SHIFT) - 1) << shift;
    for (long left = blocks; left != 0; ) {
      int first = Long.numberOfTrailingZeros(left);
      int count = Long.numberOfTrailingZeros(~(left >>> first));
      left &= ~(ones(count) << first);
      if (wanted) {
        listener.prefetch(device, start + first, count);
      } else {
        listener.discard(device, start + first, count);
      }
    }
  }

  private long key(int device, long block) {
    return (long) device << DEVICE_SHIFT | block >>> shift;
  }

  /** The first block of the segment behind the one that holds a block. */
  private long segmentEnd(long block) {
    return ((block >>> shift) + 1) << shift;
  }

  /** The blocks from one on to an end or their segment's, as bits. */
  private long mask(long from, long end) {
    int first = (int) (from & (1L << shift) - 1);
    return ones((int) (Math.min(end, segmentEnd(from)) - from)) << first;
  }

  private static long ones(int count) {
    return count == Long.SIZE ? -1 : (1L << count) - 1;
  }

  private void check(int device, long firstBlock, int blocks) {
    if (device < 0 || device > MAX_DEVICE) {
      throw new IllegalArgumentException("device " + device + " is not 0 to " + MAX_DEVICE);
    }
    if (firstBlock < 0 || blocks < 0 || (firstBlock + blocks) >>> shift >= 1L << DEVICE_SHIFT) {
      throw new IllegalArgumentException(
          blocks + " blocks from " + firstBlock + " on are on no device");
    }
  }
}
