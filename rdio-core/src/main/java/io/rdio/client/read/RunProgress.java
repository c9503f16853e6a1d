// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.device.DeviceDepth;
import org.jspecify.annotations.Nullable;

/**
 * How far a run has come, which says how much it has under way, and what of it a second way brings.
 * For one thread at a time.
 */
final class RunProgress {
  private final RunDepth depth = new RunDepth();
  private @Nullable SharedRun shared;
  private long elsewhere;

  // Read by who looks for idle ones, without a lock: an old value costs that one its windows.
  private long movedNanos;

  /** When it was last moved on, by System.nanoTime; any value before that. */
  long movedNanos() {
    return movedNanos;
  }

  /** See {@link RunDepth#bytes}. */
  int depth(DeviceDepth of, int configured) {
    return depth.bytes(of, configured);
  }

  /**
   * Tells what else the run goes by from now on.
   *
   * @param with to leave ranges of it to; null for none
   * @param bytes of it that came elsewhere by now: they say nothing of the device's depth, whoever
   *     brought them
   */
  void share(@Nullable SharedRun with, long bytes) {
    shared = with;
    elsewhere = bytes;
  }

  /** The run goes on. */
  void movedTo(long offset, long ahead) {
    movedNanos = System.nanoTime();
    depth.movedTo(offset - elsewhere, ahead, movedNanos);
  }

  /** See {@link SharedRun#past}. */
  long past(long read, long next, long stop, int chunk) {
    SharedRun with = shared;
    return with == null ? next : with.past(read, next, stop, chunk);
  }

  /** What a second way was to bring is not wanted any more. */
  void leaveShared() {
    SharedRun with = shared;
    if (with != null) {
      with.leave();
      shared = null;
    }
  }

  /** The run has ended: another one begins anew. */
  void end() {
    depth.end();
    elsewhere = 0;
  }
}
