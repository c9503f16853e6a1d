// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import java.nio.ByteBuffer;

/** Where there is no queue: begins nothing, so each read is made by whoever waits for it. */
enum NoQueue implements ReadQueue {
  INSTANCE;

  @Override
  public int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
    return NONE;
  }

  @Override
  public void submit() {}

  @Override
  public boolean await(int ticket) {
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
