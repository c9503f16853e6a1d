// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

import io.rdio.core.FallbackException;
import java.io.Closeable;
import java.nio.ByteBuffer;

/**
 * Reads of ranges of one block that are under way together, and end in the order in which they were
 * begun. Bytes that they hand out were read under a guard that held before and after, and match
 * their CRCs where the reader verifies. Nothing is tried twice: where one is refused, whoever asked
 * reads what is missing in another way. For one thread at a time; {@link #close} must follow.
 */
public interface RangeReads extends Closeable {
  /**
   * Begins to read a range, behind those that are under way, and waits for nothing. The target is
   * written to by {@link #complete} only, so whoever closes this may use it for something else.
   *
   * @param offset in the block; {@code [offset, offset + count)} lies in it and is not empty
   * @param target takes the bytes from the absolute index {@code at} on; its position and limit
   *     stay as they are
   * @return how many bytes were begun, from the range's start; 0 where there is no room at present
   * @throws FallbackException why they cannot be read here; then {@link #close} is all that may
   *     follow
   */
  int begin(long offset, ByteBuffer target, int at, int count) throws FallbackException;

  /** Sends what was begun on its way; {@link #complete} does it, too. */
  void submit() throws FallbackException;

  /** How many reads are under way. */
  int underWay();

  /**
   * Waits for the oldest read, of which there must be one, verifies it and copies it to its target.
   *
   * @return bytes copied: as many as were begun
   * @throws FallbackException why the bytes cannot be had here; then {@link #close} is all that may
   *     follow
   */
  int complete() throws FallbackException;

  /**
   * Whether a DataNode has these ranges sooner: whoever asked is to have it read them, one by one,
   * and begins none here.
   */
  default boolean isByDataNode() {
    return false;
  }

  /**
   * Is told, before {@link #close}, that all came that was wanted, here or by the DataNode.
   *
   * @param bytes at least 1
   * @param nanos that it took, without the time in which others' ranges were waited for
   */
  default void took(long bytes, long nanos) {}

  /**
   * Is told, before {@link #close}, that the DataNode could not read some of it; not where it was
   * not the DataNode that failed, but whoever wanted it did no longer.
   *
   * @param nanos that it took to find out
   */
  default void dataNodeFailed(long nanos) {}

  /** Gives up what is under way, of which nothing goes to its target any more. */
  @Override
  void close();
}
