// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.read.ExtentReader;
import io.rdio.client.read.ReadAheadPool;
import io.rdio.client.read.ReadContext;
import io.rdio.client.read.WindowPool;
import io.rdio.core.FallbackException;

/** What a reader of one {@link TestBlock} needs, with one map of it to begin with. */
public final class ReadFixture {
  public static final long MEMORY = 64L << 20;

  public final TestBlock block;
  public final ManualClock clock = new ManualClock();
  public final MemoryDevice device;
  public final OneDevice devices;
  public final FakeMaps maps = new FakeMaps(clock);
  public final ReadPools pools;
  public final ClientCounters counters;
  public final WindowPool windows;
  public final ReadAheadPool readAheads;
  public final ReadContext context;

  public ReadFixture(TestBlock block, int alignment) {
    this(block, alignment, MEMORY);
  }

  /** With read queues whose reads end late and out of order. */
  public ReadFixture(TestBlock block, int alignment, long memory) {
    this(block, alignment, memory, () -> new DeferredQueue(block.bytes.length));
  }

  public ReadFixture(
      TestBlock block, int alignment, long memory, ReadAheadPool.QueueSource queues) {
    this(block, alignment, ReadPools.of(memory, queues));
  }

  public ReadFixture(TestBlock block, int alignment, ReadPools pools) {
    this.block = block;
    this.pools = pools;
    device = new MemoryDevice(block.image, alignment);
    devices = new OneDevice(block.identity, device);
    counters = pools.counters();
    windows = pools.windows();
    readAheads = pools.readAheads();
    context = pools.context(maps, devices, clock);
    maps.then(block.map(clock));
  }

  /** A reader to the block's end that verifies checksums. */
  public ExtentReader reader() throws FallbackException {
    return ExtentReader.open(context, block.request, true, block.bytes.length);
  }
}
