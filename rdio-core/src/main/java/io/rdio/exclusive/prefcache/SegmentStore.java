// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.io.IOException;
import java.util.OptionalLong;

/**
 * Where the bytes of cached blocks are. {@link PrefCache} says what is to be there, and under which
 * of its locks it calls.
 */
interface SegmentStore extends AutoCloseable {
  /** Told of the runs of blocks in a range that are not wanted. */
  @FunctionalInterface
  interface RunConsumer {
    void accept(long firstBlock, int blocks) throws IOException;
  }

  /** Finds the blocks that nobody wants, and keeps them so until the consumer returns. */
  @FunctionalInterface
  interface Unwanted {
    void forEach(int device, long firstBlock, int blocks, RunConsumer runs)
        throws IOException, InterruptedException;
  }

  /**
   * Brings blocks in from the device. Called by one thread at a time, with the range locked and no
   * other lock held; {@link #admit} for some of the blocks, and {@link #release} for the others,
   * follow from the same thread.
   */
  void fetch(int device, long firstBlock, int blocks) throws IOException;

  /** Blocks just fetched are valid from now on. Called under PrefCache's lock. */
  void admit(int device, long firstBlock, int blocks);

  /**
   * Blocks are not wanted any more, whether they are here or not. Called under PrefCache's lock, so
   * what takes time is put off until {@link #settle}.
   */
  void release(int device, long firstBlock, int blocks);

  /** The same of blocks that a compute node has just written. */
  void releaseWritten(int device, long firstBlock, int blocks);

  /** The same of blocks that a compute node has just read from the device itself. */
  void releaseRead(int device, long firstBlock, int blocks);

  /** Does what was put off; called now and then, by one thread, without PrefCache's lock. */
  void settle(Unwanted unwanted) throws IOException, InterruptedException;

  /** Bytes of memory that it really takes; empty where nobody can tell. */
  OptionalLong residentBytes() throws IOException;

  @Override
  void close() throws IOException;
}
