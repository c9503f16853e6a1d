// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import java.nio.ByteBuffer;

/**
 * Where the kernel has no queues for this process: begins nothing, so each read is made by whoever
 * waits for it, by {@link BlockDevice#read}, for as long as the device takes.
 */
enum NoQueue implements ReadQueue {
  INSTANCE;

  @Override
  public int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    return NONE;
  }

  @Override
  public int prepareAwaited(
      BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    return NONE;
  }

  @Override
  public void submit() {}

  @Override
  public int await(int ticket) {
    throw new IllegalStateException("a read was awaited that was not begun");
  }

  @Override
  public boolean discard(int ticket) {
    return true;
  }

  @Override
  public boolean poll() {
    return true;
  }

  @Override
  public void close() {}
}
