// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeQueue;
import io.rdio.core.block.RangeReads;
import java.nio.ByteBuffer;

/**
 * Ranges of an opened block, each by one or several READs on a lane that they have to themselves.
 */
final class AgentRanges implements RangeReads {
  private final OpenedBlock block;
  private final LaneReads reads;
  private final RangeQueue ranges = new RangeQueue();
  private boolean closed;

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
    int begun = reads.append(offset, count);
    if (begun > 0) {
      ranges.add(offset, target, at, begun);
    }
    return begun;
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
