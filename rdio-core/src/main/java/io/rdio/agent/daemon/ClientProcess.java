// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * One session: a process that talks to the agent, its shared segment and its open blocks. It lives
 * as long as one of its lanes. Thread-safe.
 */
final class ClientProcess {
  /** Of the process, as the kernel named it when its first lane was made. */
  record Owner(long uid, long pid, String name) {}

  private final long id;
  private final byte[] key;
  private final Owner owner;
  private final UserAccounts accounts;
  private final OpenBlocks blocks;
  private final int maxLanes;
  private volatile @Nullable SegmentMemory segment;
  private volatile long usedNanos = System.nanoTime();

  @GuardedBy("this")
  private int lanes;

  /** Blocks that it writes: what is in its segment is wanted, used or not. */
  @GuardedBy("this")
  private int writes;

  @GuardedBy("this")
  private boolean abandoned;

  @GuardedBy("this")
  private boolean ended;

  ClientProcess(
      long id, byte[] key, Owner owner, UserAccounts accounts, OpenBlocks blocks, int maxLanes) {
    this.id = id;
    this.key = key;
    this.owner = owner;
    this.accounts = accounts;
    this.blocks = blocks;
    this.maxLanes = maxLanes;
  }

  long id() {
    return id;
  }

  /** What a further lane must show; never logged. */
  byte[] key() {
    return key.clone();
  }

  OpenBlocks blocks() {
    return blocks;
  }

  /**
   * Adds a lane, which must {@link #leave}.
   *
   * @param uid of who made the connection
   * @param shown the key that it showed
   * @throws FallbackException AGENT_UNAVAILABLE if it is somebody else's or has ended, AGENT_BUSY
   */
  synchronized void join(long uid, byte[] shown) throws FallbackException {
    if (ended || uid != owner.uid() || !MessageDigest.isEqual(shown, key)) {
      throw new FallbackException(
          FallbackReason.AGENT_UNAVAILABLE, "there is no such session of user " + uid);
    }
    if (lanes >= maxLanes) {
      throw new FallbackException(
          FallbackReason.AGENT_BUSY, this + " has " + lanes + " lanes; the limit is " + maxLanes);
    }
    lanes++;
  }

  /**
   * Takes the segment over that the process passed, once.
   *
   * @throws FallbackException AGENT_BUSY, and then the segment is closed
   */
  synchronized void share(SegmentMemory passed) throws FallbackException {
    boolean good = false;
    try {
      if (segment != null) {
        throw new FallbackException(FallbackReason.AGENT_BUSY, this + " has a segment already");
      }
      accounts.addSegment(owner.uid(), passed.length());
      segment = passed;
      good = true;
    } finally {
      if (!good) {
        passed.close();
      }
    }
  }

  /**
   * Its segment.
   *
   * @throws FallbackException AGENT_UNAVAILABLE if it passed none
   */
  SegmentMemory segment() throws FallbackException {
    SegmentMemory memory = segment;
    if (memory == null) {
      throw new FallbackException(FallbackReason.AGENT_UNAVAILABLE, this + " passed no segment");
    }
    return memory;
  }

  /** Notes that something is read for it. */
  void used(long nowNanos) {
    usedNanos = nowNanos;
  }

  /**
   * Counts a block that it writes from now on. Until {@link #endWrite} nothing of the segment is
   * taken back, which no CRC would tell from what it wrote there.
   *
   * @throws FallbackException AGENT_BUSY, and then it is not counted
   */
  synchronized void beginWrite(int most) throws FallbackException {
    if (writes >= most) {
      throw new FallbackException(
          FallbackReason.AGENT_BUSY, this + " writes " + writes + " blocks; the limit is " + most);
    }
    writes++;
  }

  synchronized void endWrite() {
    writes--;
  }

  /**
   * Takes an unused segment's memory back if nothing was read for so long, and nothing is written.
   */
  void reclaim(long nowNanos, long idleNanos) {
    SegmentMemory memory = segment;
    if (memory != null && nowNanos - usedNanos >= idleNanos) {
      synchronized (this) {
        if (!ended && writes == 0) {
          memory.reclaim();
        }
      }
    }
  }

  /**
   * Ends a lane.
   *
   * @param underWay whether a device may still write to the segment for it, or read from it
   * @return whether it was the last one: the session has ended
   */
  synchronized boolean leave(boolean underWay) {
    abandoned |= underWay;
    lanes--;
    if (lanes > 0) {
      return false;
    }
    ended = true;
    SegmentMemory memory = segment;
    if (memory != null) {
      accounts.removeSegment(owner.uid(), memory.length());
      if (abandoned) {
        memory.abandon();
      } else {
        memory.close();
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return "process " + owner.pid() + " of user " + owner.uid() + " (" + owner.name() + ")";
  }
}
