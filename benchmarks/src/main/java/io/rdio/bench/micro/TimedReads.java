// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.client.read.BlockReader;
import io.rdio.client.read.BlocksAhead;
import io.rdio.client.read.ExtentReader;
import io.rdio.client.read.ReadAheadPool;
import io.rdio.client.read.ReadContext;
import io.rdio.client.read.WindowPool;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.device.RingQueue;
import io.rdio.hdfs.RdioConfigKeys;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;

/**
 * What a client reads with, by its maps and devices and as its configuration says, but with memory
 * and queues of its own, and these are {@link TimedQueue}s.
 */
final class TimedReads implements AutoCloseable {
  private final ReadContext context;

  private TimedReads(ReadContext context) {
    this.context = context;
  }

  /** Beside those of a client, which must stay open. */
  static TimedReads of(ReadContext client, Configuration conf) {
    return of(client, conf, RdioConfigKeys.CLIENT_READ_TIMEOUT.get(conf));
  }

  /**
   * The same with another deadline.
   *
   * @param timeout of reads; zero for none
   */
  static TimedReads of(ReadContext client, Configuration conf, Duration timeout) {
    WindowPool windows =
        new WindowPool(
            RdioConfigKeys.CLIENT_BUFFER_MEMORY_MAX.get(conf),
            RdioConfigKeys.CLIENT_READ_WINDOW.get(conf),
            client.counters());
    ReadAheadPool readAheads =
        new ReadAheadPool(
            windows,
            RdioConfigKeys.CLIENT_READ_AHEAD.get(conf),
            () -> new TimedQueue(RingQueue.open(timeout), QueueTimes.OF_THIS_JVM));
    return new TimedReads(
        new ReadContext(
            client.maps(),
            client.devices(),
            windows,
            readAheads,
            client.clock(),
            client.counters(),
            null,
            new BlocksAhead(
                client.maps(),
                client.devices(),
                windows,
                readAheads,
                client.clock(),
                client.counters())));
  }

  /** A reader of a block, which verifies checksums. */
  BlockReader reader(BlockRequest request, long length) throws FallbackException {
    return ExtentReader.open(context, request, true, length);
  }

  /** Frees memory and queues; readers must be closed. */
  @Override
  public void close() {
    context.blocksAhead().close();
    context.readAheads().close();
  }
}
