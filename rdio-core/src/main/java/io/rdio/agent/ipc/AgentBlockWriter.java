// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import java.io.Closeable;
import org.jspecify.annotations.Nullable;

/**
 * Writes one block: its replicas are written by the agent, in parallel from one place in the shared
 * segment. Their CRCs are made here, while the bytes are copied there. For one thread at a time.
 *
 * <p>Once a call has failed nothing more can be written, and all that can be done is {@link
 * #close}. A target that fails does not make a call fail as long as another one goes on.
 */
public final class AgentBlockWriter implements Closeable {
  private final BlockToWrite block;
  private final LaneWrites writes;

  /** The chunk that is not whole yet. */
  private final byte[] partial;

  private int partialBytes;
  private long length;
  private @Nullable FallbackException failure;
  private boolean ended;

  private AgentBlockWriter(BlockToWrite block, LaneWrites writes) {
    this.block = block;
    this.writes = writes;
    this.partial = new byte[block.bytesPerChecksum()];
  }

  /** See {@link AgentClient#allocate}. */
  static AgentBlockWriter open(AgentSession in, BlockToWrite block) throws FallbackException {
    block.requireSendable();
    return new AgentBlockWriter(block, LaneWrites.open(in.borrow(), block));
  }

  /** Bytes that were written so far. */
  public long length() {
    return length;
  }

  /** Bytes that may be written yet. */
  public long room() {
    return writes.room() - partialBytes;
  }

  /**
   * Appends bytes, which are copied when this returns. They are sent by whole windows: a failure to
   * write them may be told by a later call.
   *
   * @param count at most {@link #room}
   * @throws FallbackException why no replica can be written any more
   * @throws IllegalArgumentException for more bytes than the block may have
   */
  public void write(byte[] source, int at, int count) throws FallbackException {
    requireUsable();
    if (at < 0 || count < 0 || count > source.length - at) {
      throw new IndexOutOfBoundsException(
          count + " bytes from " + at + " on of " + source.length + " bytes");
    }
    if (count > room()) {
      throw new IllegalArgumentException(
          count + " bytes at " + length + " of " + block + ": there is room for " + room());
    }
    try {
      put(source, at, at + count);
    } catch (FallbackException e) {
      failure = e;
      throw e;
    }
    length += count;
  }

  private void put(byte[] source, int at, int end) throws FallbackException {
    int from = at;
    if (partialBytes > 0) {
      from += keep(source, from, Math.min(end - from, partial.length - partialBytes));
    }
    if (partialBytes == partial.length) {
      putPartial();
    }
    int whole = (end - from) / partial.length * partial.length;
    if (whole > 0) {
      writes.put(source, from, whole);
    }
    keep(source, from + whole, end - from - whole);
  }

  private int keep(byte[] source, int from, int count) {
    System.arraycopy(source, from, partial, partialBytes, count);
    partialBytes += count;
    return count;
  }

  private void putPartial() throws FallbackException {
    int bytes = partialBytes;
    partialBytes = 0;
    writes.put(partial, 0, bytes);
  }

  /**
   * Sends what was not sent, waits for all that was, and makes the replicas: durable, finalized and
   * known to the NameNode when this returns.
   *
   * @param needed targets without which the block is of no use, 1 to as many as it has: once so
   *     many have it the agent does not wait long for a DataNode that does not answer
   * @return bit {@code i} for the target {@code i} whose replica is committed: at least one
   * @throws FallbackException if there is none, as far as is known
   * @throws IllegalStateException if nothing was written
   */
  public long commit(int needed) throws FallbackException {
    requireUsable();
    if (length == 0) {
      throw new IllegalStateException(block + " is empty: close it");
    }
    long committed;
    try {
      if (partialBytes > 0) {
        putPartial();
      }
      committed = writes.commit(needed);
    } catch (FallbackException e) {
      failure = e;
      throw e;
    }
    close();
    return committed;
  }

  private void requireUsable() throws FallbackException {
    if (failure != null) {
      throw failure;
    }
    if (ended) {
      throw new IllegalStateException(block + " was committed or closed");
    }
  }

  /** Gives the block up unless it was committed. Idempotent. */
  @Override
  public void close() {
    if (!ended) {
      ended = true;
      writes.end();
    }
  }
}
