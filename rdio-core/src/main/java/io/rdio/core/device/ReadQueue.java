// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import java.nio.ByteBuffer;

/**
 * Reads that are under way on devices at the same time. For one thread at a time, which need not
 * always be the same. Allocates nothing, but for a refusal.
 *
 * <p>A read that is waited for in vain stays under way: the kernel may write to its buffer until
 * {@link #await}, {@link #discard} or {@link #poll} has said that it has ended.
 */
public interface ReadQueue extends AutoCloseable {
  /** The ticket of a read that was not begun. */
  int NONE = -1;

  /**
   * Prepares a read of {@code length} bytes to {@code [at, at + length)} of a direct buffer, whose
   * position and limit stay as they are; {@link #submit} begins it. Alignment as for {@link
   * BlockDevice#read}. Device and buffer must stay reachable until the read has ended.
   *
   * @return a ticket for {@link #await}; or {@link #NONE} if this device cannot be read so or too
   *     many reads are under way: then {@link #prepareAwaited} does it when its bytes are needed
   */
  int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length);

  /**
   * The same for a read that is awaited before another one is prepared: for these a place is kept,
   * however many other reads are under way.
   *
   * @return {@link #NONE} only if this device cannot be read so
   */
  int prepareAwaited(BlockDevice device, long offset, ByteBuffer target, int at, int length);

  /**
   * Says that the memory of a direct buffer will be read to again and again, by this or by other
   * buffers, so that preparing for that once may pay. It must not be freed while the buffer is
   * reachable. Harmless when repeated.
   *
   * @return whether reads to this memory, or to a part of it, are cheaper from now on
   */
  default boolean keep(ByteBuffer memory) {
    return false;
  }

  /** Whether {@link #await} may give up; else it ends when the read has ended, and not before. */
  default boolean givesUp() {
    return false;
  }

  /** Begins all reads that are prepared. */
  void submit();

  /**
   * Begins what is prepared, waits for a read to end, and gives its ticket back. Once it has given
   * up it does not wait any more, until all that is under way has ended.
   *
   * @return how many of its bytes were read, from the first one on; where they are fewer than were
   *     asked for, perhaps none, the kernel has ended it early and the rest is worth another read
   * @throws FallbackException DEVICE_IO_ERROR if the device failed the read or has no such bytes:
   *     the read has then ended; DEVICE_TIMEOUT, or INTERRUPTED with the thread's interrupt flag
   *     still set: the read is then under way, and the ticket still taken
   */
  int await(int ticket) throws FallbackException;

  /**
   * How long the last {@link #await} that has told of a read waited for it, in nanoseconds; 0 where
   * it had ended before, or nobody measures.
   */
  default long waitedNanos() {
    return 0;
  }

  /**
   * The same for a read whose bytes nobody wants: waits for a moment only where the queue {@link
   * #givesUp}, and tells rather than throws.
   *
   * @return whether it has ended, or had before; if not, it is under way, the ticket still taken
   */
  boolean discard(int ticket);

  /**
   * Says that nobody waits for what is under way, until {@link #resume}: it counts as work that its
   * devices have only for as long as they are thought to take for it, for who does not look does
   * not see it end. Harmless when repeated.
   */
  default void rest() {}

  /** Says that its owner goes on. Harmless when repeated. */
  default void resume() {}

  /** Learns without waiting which reads have ended; whether all of them have. */
  boolean poll();

  /** Frees the queue; no read may be under way. */
  @Override
  void close();
}
