// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeReads;
import java.nio.ByteBuffer;

/** Ranges by the agent, which are counted as any read by it. */
final class CountedRanges implements RangeReads {
  private final RangeReads ranges;
  private final ClientCounters counters;

  CountedRanges(RangeReads ranges, ClientCounters counters) {
    this.ranges = ranges;
    this.counters = counters;
  }

  @Override
  public int begin(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    return ranges.begin(offset, target, at, count);
  }

  @Override
  public void submit() throws FallbackException {
    ranges.submit();
  }

  @Override
  public int underWay() {
    return ranges.underWay();
  }

  @Override
  public int complete() throws FallbackException {
    int count = ranges.complete();
    counters.rdioReads.increment();
    counters.rdioBytes.add(count);
    counters.agentBytes.add(count);
    return count;
  }

  @Override
  public void close() {
    ranges.close();
  }
}
