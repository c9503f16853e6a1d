// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import java.nio.ByteBuffer;

/**
 * Reads that are under way on devices at the same time. For one thread at a time, which need not
 * always be the same. Allocates nothing.
 */
public interface ReadQueue extends AutoCloseable {
  /** The ticket of a read that was not begun. */
  int NONE = -1;

  /**
   * Prepares a read of {@code length} bytes to {@code [at, at + length)} of a direct buffer, whose
   * position and limit stay as they are; {@link #submit} begins it. Alignment as for {@link
   * BlockDevice#read}. Device and buffer must stay reachable until {@link #await} has returned.
   *
   * @return a ticket for {@link #await}; or {@link #NONE} if this device cannot be read so or too
   *     many reads are under way: then {@link BlockDevice#read} does it
   */
  int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length);

  /**
   * Says that a direct buffer will be read to again and again, so that preparing for that once may
   * pay. Its memory must not be freed while the buffer is reachable. Harmless when repeated.
   */
  default void keep(ByteBuffer memory) {}

  /** Begins all reads that are prepared. */
  void submit();

  /**
   * Begins what is prepared, waits for a read to end, and gives its ticket back.
   *
   * @return whether all of its bytes were read; if not, {@link BlockDevice#read} says why
   */
  boolean await(int ticket);

  /** Frees the queue; no read may be under way. */
  @Override
  void close();
}
