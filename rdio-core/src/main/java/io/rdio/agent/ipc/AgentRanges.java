// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeQueue;
import io.rdio.core.block.RangeReads;
import java.nio.ByteBuffer;

/**
 * Ranges of an opened block, each by one or several READs, as a read of it alone would be, on a
 * lane that they have to themselves.
 */
final class AgentRanges implements RangeReads {
  private final OpenedBlock block;
  private final LaneReads reads;
  private final RangeQueue ranges = new RangeQueue();
  private boolean closed;

  /** Where the rest of the range begins that was begun last, and how it is cut into READs. */
  private long rest = AgentBlock.NOWHERE;

  private int size;

  /**
   * @param reads on a lane of the block's session; {@link #close} gives them back
   */
  AgentRanges(OpenedBlock block, LaneReads reads) {
    this.block = block;
    this.reads = reads;
  }

  @Override
  public int begin(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    whereto(target, at); // refuses what cannot be written to before it is read
    if (offset != rest) {
      size = readSize(offset, count);
    }
    int begun = reads.append(offset, count, size);
    rest = offset + begun;
    if (begun > 0) {
      ranges.add(offset, target, at, begun);
    }
    return begun;
  }

  /** Of whole chunks, rounded up, or the last READ would be for next to nothing. */
  private int readSize(long offset, int count) {
    int chunk = block.chunk();
    long whole = block.chunkCeil(offset + count) - block.chunkFloor(offset);
    return (AgentBlock.readSize(whole) + chunk - 1) / chunk * chunk;
  }

  /** Does nothing: a READ is sent as it is begun. */
  @Override
  public void submit() {}

  @Override
  public int underWay() {
    return ranges.size();
  }

  @Override
  public int complete() throws FallbackException {
    RangeQueue.Range range = ranges.removeFirst();
    reads.copyFirst(range.offset(), whereto(range.target(), range.at()), range.count());
    return range.count();
  }

  /** Says whereto; the index that a place of the target has there. */
  private int whereto(ByteBuffer target, int at) throws FallbackException {
    if (target.hasArray()) {
      reads.use(block, target.array(), null);
      return target.arrayOffset() + at;
    }
    reads.use(block, null, target);
    return at;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ranges.clear();
      reads.end();
    }
  }
}
