// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.device.DeviceDepth;
import org.jspecify.annotations.Nullable;

/**
 * The depth that one run reads with, and how it tells {@link DeviceDepth} what came of it. A
 * stretch is measured once the run has as much under way as its depth says, and a depth's worth of
 * bytes has passed since: what was begun with another depth says nothing of this one.
 *
 * <p>For one thread at a time; allocates nothing.
 */
final class RunDepth {
  private static final int LEAST_MEASURED = 16 << 20;
  private static final int DEPTHS_MEASURED = 3;

  private @Nullable DeviceDepth device;
  private int depth;
  private int most;
  private boolean measuring;

  // Where in the block the stretch began: to be read with its depth, or to be measured.
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
      device = of;
      most = configured;
      depth = of.next(configured);
      measuring = false;
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
      DeviceDepth of = device;
      if (of != null) {
        of.took(depth, passed, nanos - beganNanos);
        depth = of.next(most);
      }
      measuring = false;
      begin = offset;
    }
  }

  /** The run has ended: another one begins anew. */
  void end() {
    device = null;
  }
}
