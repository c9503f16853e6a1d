// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.device.DeviceDepth;
import org.jspecify.annotations.Nullable;

/**
 * The depth that one run reads with, and how it tells {@link DeviceDepth} what came of it. Once it
 * has come far enough it is one of its device's runs, until it ends. A stretch is measured once the
 * run has as much under way as its depth says, and a depth's worth of bytes has passed since: what
 * was begun with another depth says nothing of this one.
 *
 * <p>For one thread at a time; allocates nothing.
 */
final class RunDepth {
  private static final int LEAST_MEASURED = 16 << 20;
  private static final int DEPTHS_MEASURED = 3;

  /** As far a run comes before it counts: what is shorter never has as much under way. */
  private static final int LONG = DeviceDepth.LEAST;

  private final DeviceDepth.Run run = new DeviceDepth.Run();
  private @Nullable DeviceDepth device;
  private boolean joined;
  private int depth;
  private int most;
  private boolean measuring;

  // Where in the block the run began; and the stretch: to be read with its depth, or measured.
  private long start;
  private long begin;
  private long beganNanos;

  /**
   * What the run should have under way, in bytes.
   *
   * @param of the device that it reads
   * @param configured what it may have at most
   */
  int bytes(DeviceDepth of, int configured) {
    if (device != of || most != configured) {
      end();
      device = of;
      most = configured;
      depth = of.first(configured);
      measuring = false;
      start = ReadPlan.NOWHERE;
      begin = ReadPlan.NOWHERE;
    }
    return depth;
  }

  /**
   * The run goes on.
   *
   * @param offset of the block, up to which its reader has come
   * @param ahead bytes that are here or under way; 0 where the reader has gone elsewhere, or reads
   *     in place
   * @param nanos the time
   */
  void movedTo(long offset, long ahead, long nanos) {
    DeviceDepth of = device;
    if (of == null) {
      return;
    }
    run.movedOn(nanos);
    joinWhenLong(of, offset, nanos);
    if (begin == ReadPlan.NOWHERE || ahead < depth / 2 || offset < begin) {
      begin = offset;
      measuring = false;
      return;
    }
    long passed = offset - begin;
    if (!measuring && passed >= depth) {
      measuring = true;
      begin = offset;
      beganNanos = nanos;
    } else if (measuring && passed >= Math.max(LEAST_MEASURED, (long) DEPTHS_MEASURED * depth)) {
      of.took(run, depth, passed, nanos - beganNanos, nanos);
      depth = of.next(run, most, nanos);
      measuring = false;
      begin = offset;
    }
  }

  private void joinWhenLong(DeviceDepth of, long offset, long nanos) {
    if (start == ReadPlan.NOWHERE || offset < start) {
      start = offset;
    }
    if (!joined && offset - start >= LONG) {
      joined = true;
      of.join(run, nanos);
      depth = of.next(run, most, nanos);
      begin = ReadPlan.NOWHERE;
    }
  }

  /** The run has ended: another one begins anew. */
  void end() {
    DeviceDepth of = device;
    if (of != null && joined) {
      of.leave(run);
    }
    joined = false;
    device = null;
  }
}
