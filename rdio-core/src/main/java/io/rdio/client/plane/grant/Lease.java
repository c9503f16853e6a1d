// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.Guard;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.time.MonotonicClock;

/**
 * The guard of a map that a DataNode granted: a client's right to read its extents until a
 * deadline, and the witness that the device must show. The deadline is counted from before the
 * request was sent and is less by a margin for the drift of the two clocks. It goes by memory
 * alone: the device is looked at when it is resolved, not in reads.
 *
 * <p>Thread-safe: readers ask it before an I/O is sent and again after it completed; one owner
 * renews or ends the lease. Once ended it never becomes valid again, so a reader that finds it
 * valid after its I/O knows that the DataNode held the extents all the while.
 */
public final class Lease implements Guard {
  /** A use is noted so often at most: all its readers share the cache line. */
  private static final long NOTED_EVERY_NANOS = 100_000_000;

  /** What an object of this class takes. */
  private static final int OBJECT_BYTES = 56;

  private final long id;
  private final long witnessCount;
  private volatile long countedFromNanos;
  private volatile long deadlineNanos;
  private volatile long lastUsedNanos;
  private volatile boolean recalled;
  private volatile boolean ended;

  /**
   * All times are on the client's {@link io.rdio.core.time.MonotonicClock}.
   *
   * @param id as the DataNode gave it
   * @param witnessCount of the witness that the device must show before it is read
   * @param countedFromNanos when the request that it was granted for was sent
   * @param deadlineNanos that, plus the term that was granted, less the margin
   */
  public Lease(long id, long witnessCount, long countedFromNanos, long deadlineNanos) {
    this.id = id;
    this.witnessCount = witnessCount;
    this.countedFromNanos = countedFromNanos;
    this.deadlineNanos = deadlineNanos;
    this.lastUsedNanos = countedFromNanos;
  }

  /** The lease of a map that was granted. */
  public static Lease of(FileMap map) {
    return (Lease) map.guard();
  }

  public long id() {
    return id;
  }

  @Override
  public BlockDevice resolve(FileMap map, DeviceDirectory devices) throws FallbackException {
    return devices.resolve(GrantOrigin.of(map), witnessCount);
  }

  /** {@inheritDoc} Whether it was ended is looked at now, whatever time it is said to be. */
  @Override
  public void before(FileMap map, BlockDevice device, long nowNanos) throws FallbackException {
    require(map, nowNanos, "ran out before the read");
  }

  /**
   * {@inheritDoc} A lease that has ended or run out never becomes valid again: {@link #end} is for
   * good, {@link #renew} moves only the deadline of a valid one, and only on, and the clock does
   * not go back. So one that is valid now has been since it was granted, all of the read included.
   */
  @Override
  public void after(FileMap map, BlockDevice device, MonotonicClock clock)
      throws FallbackException {
    require(map, clock.nanos(), "ran out during the read");
  }

  private void require(FileMap map, long now, String when) throws FallbackException {
    if (!isValid(now)) {
      throw new FallbackException(
          FallbackReason.LEASE_EXPIRED,
          "lease " + id + " of " + map.dataNode() + " on " + map.block() + " " + when);
    }
    touch(now);
  }

  /** True while extents under this lease may be read and bytes from them be used. */
  @Override
  public boolean isValid(long nowNanos) {
    return !ended && deadlineNanos - nowNanos > 0;
  }

  /** True while somebody may begin to read by it: valid, and not recalled. */
  @Override
  public boolean admits(long nowNanos) {
    return !recalled && isValid(nowNanos);
  }

  @Override
  public long remainingNanos(long nowNanos) {
    return ended ? Long.MIN_VALUE : deadlineNanos - nowNanos;
  }

  /** {@inheritDoc} It is also what makes a lease worth renewing. */
  @Override
  public void touch(long nowNanos) {
    if (nowNanos - lastUsedNanos >= NOTED_EVERY_NANOS) {
      lastUsedNanos = nowNanos;
    }
  }

  /** When it was used last, to 0.1 s. */
  public long lastUsedNanos() {
    return lastUsedNanos;
  }

  /** The time between the request that it counts from and its deadline. */
  public long spanNanos() {
    return deadlineNanos - countedFromNanos;
  }

  /** Valid, and used since the request that it counts from, and that is so long ago. */
  public boolean usedAndOlderThan(long ageNanos, long nowNanos) {
    long from = countedFromNanos;
    return isValid(nowNanos) && nowNanos - from >= ageNanos && lastUsedNanos - from > 0;
  }

  /**
   * Moves the deadline, never to an earlier time; no effect once ended or already run out.
   *
   * @param sentNanos when the request for it was sent
   */
  public synchronized void renew(long sentNanos, long newDeadlineNanos, long nowNanos) {
    if (isValid(nowNanos) && newDeadlineNanos - deadlineNanos > 0) {
      deadlineNanos = newDeadlineNanos;
      countedFromNanos = sentNanos;
    }
  }

  /** Admits nobody new from now on; whoever reads by it may finish while it is valid. */
  public void recall() {
    recalled = true;
  }

  @Override
  public int heapBytes() {
    return OBJECT_BYTES;
  }

  /** Ends it for good: recalled, returned, or its map found wrong. */
  public synchronized void end() {
    ended = true;
  }
}
