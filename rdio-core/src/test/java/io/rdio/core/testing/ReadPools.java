// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.read.BlocksAhead;
import io.rdio.client.read.ReadAheadPool;
import io.rdio.client.read.ReadContext;
import io.rdio.client.read.WindowPool;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.time.MonotonicClock;
import java.util.function.Function;

/** What readers share whatever they read: memory, queues and counters. */
public record ReadPools(WindowPool windows, ReadAheadPool readAheads, ClientCounters counters) {
  private static final int WINDOW = 1 << 20;
  private static final int AHEAD = 2 << 20;

  /** With so many bytes of memory. */
  public static ReadPools of(long memory, ReadAheadPool.QueueSource queues) {
    return of(memory, WINDOW, queues);
  }

  /** The same, cut into windows of so many bytes at most. */
  public static ReadPools of(long memory, int window, ReadAheadPool.QueueSource queues) {
    return make(memory, window, windows -> new ReadAheadPool(windows, AHEAD, queues));
  }

  /** For readers that read one window after the other, as where the kernel has no queues. */
  public static ReadPools withoutQueues(long memory) {
    return of(
        memory,
        () -> {
          throw new FallbackException(FallbackReason.ASYNC_IO_UNAVAILABLE, "none in this test");
        });
  }

  /** With a pool of queues that a test makes itself: by a time of its own, say. */
  public static ReadPools lendingBy(long memory, Function<WindowPool, ReadAheadPool> pool) {
    return make(memory, WINDOW, pool);
  }

  private static ReadPools make(long memory, int window, Function<WindowPool, ReadAheadPool> pool) {
    ClientCounters counters = new ClientCounters();
    WindowPool windows = new WindowPool(memory, window, counters);
    return new ReadPools(windows, pool.apply(windows), counters);
  }

  /** For readers by these maps; several such contexts may share the pools. */
  public ReadContext context(FileMapSource maps, DeviceDirectory devices, MonotonicClock clock) {
    return new ReadContext(
        maps,
        devices,
        windows,
        readAheads,
        clock,
        counters,
        null,
        new BlocksAhead(maps, devices, windows, readAheads, clock, counters));
  }
}
