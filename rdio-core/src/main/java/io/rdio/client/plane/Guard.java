// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.time.Validity;

/**
 * What makes a file map trustworthy. The map says where bytes lie; its guard says whether they
 * still lie there, and on which device. Each metadata plane has guards of its own kind.
 *
 * <p>A reader asks {@link #before} ahead of each run of I/O and {@link #after} behind it, and uses
 * no byte unless both passed. The promise: <em>if both passed, the map was true from the one to the
 * other</em>, whatever happened in between (a pause of this process of any length included). A
 * guard that failed once never passes again.
 *
 * <p>So it is the look behind the I/O that proves: what passes there had never failed before. The
 * look ahead of it spares the device reads whose bytes would be dropped, and says that the map is
 * used. That is why it may go by a reading of the clock from a moment before, when the call began,
 * if that has waited for nothing since: what has run out meanwhile is read in vain, and refused
 * behind. {@link #after} reads the clock itself.
 *
 * <p>Safe for any number of threads. All but {@link #resolve} are on the path of every read: they
 * take no lock and allocate nothing unless they refuse. A guard may read from the device it is
 * given if that is how it knows, and then waits for that; one that goes by memory alone leaves it
 * alone.
 */
public interface Guard extends Validity {
  /**
   * The device of this host that the map's extents count from, and no older copy of it. A device
   * that was found before costs no look at it and no allocation.
   *
   * @throws FallbackException as {@link DeviceDirectory} says
   */
  BlockDevice resolve(FileMap map, DeviceDirectory devices) throws FallbackException;

  /**
   * Ahead of a run of I/O, or of bytes that were kept from an earlier one: refuses a map that is
   * not true any more, and counts as a use of it.
   *
   * @param map that this guards
   * @param device that {@link #resolve} gave
   * @param nowNanos the time on the clock that it runs on; ahead of I/O perhaps when the reader's
   *     call began, if it has waited for nothing since
   * @throws FallbackException LEASE_EXPIRED where another map may be had at once; else the reason
   *     why stock HDFS must serve the block
   */
  void before(FileMap map, BlockDevice device, long nowNanos) throws FallbackException;

  /**
   * Behind a run of I/O whose {@link #before} passed, before any byte of it is used.
   *
   * @param clock that it runs on, which is read no sooner than in this call
   * @throws FallbackException as {@link #before} does, if the bytes may be another file's: they
   *     must be dropped
   */
  void after(FileMap map, BlockDevice device, MonotonicClock clock) throws FallbackException;

  /**
   * Whether it would pass now, as far as is known without asking anybody or anything. A guard that
   * holds, but does not {@link #admits admit}, serves those who read by the map already.
   */
  boolean isValid(long nowNanos);

  /**
   * Nanoseconds until it fails by the mere passing of time unless its plane does something for it;
   * {@link Long#MAX_VALUE} if it never does so; negative once it has failed.
   */
  long remainingNanos(long nowNanos);

  /** Notes that a reader used it, which is what makes its map worth keeping. */
  void touch(long nowNanos);

  /** Bytes of heap that it takes for itself. */
  int heapBytes();
}
