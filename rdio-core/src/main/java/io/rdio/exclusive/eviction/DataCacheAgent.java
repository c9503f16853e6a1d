// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.NettyChannelFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a client's block data cache evicts, on its way to the storage nodes whose devices it is on.
 * In the client's own JVM: no library of ours is loaded for it, all threads are daemons, and an
 * agent that is away costs readers nothing. For each storage node up to 0.5 MB of runs are kept
 * meanwhile, and 1.3 MB of segments wait for each device.
 */
public final class DataCacheAgent implements AutoCloseable {
  private static final EvictionTracer.Settings SETTINGS =
      new EvictionTracer.Settings(
          Duration.ofMillis(200), 0, 1 << 13, 1 << 14, 0, Duration.ofSeconds(10));

  private final NettyChannelFactory channels = new NettyChannelFactory();
  private final List<EvictionTracer> tracers = new ArrayList<>();

  private DataCacheAgent() {}

  /**
   * Begins to tell, as soon as each storage node can be reached.
   *
   * @param clock the one that leases run on
   * @param storages HOST:PORT of each PrefCache
   * @param counters of all of them
   */
  public static DataCacheAgent start(
      ExtentEvictions cache,
      MonotonicClock clock,
      List<String> storages,
      EvictionCounters counters) {
    DataCacheAgent agent = new DataCacheAgent();
    try {
      for (String storage : storages) {
        DataCacheEvictions source = new DataCacheEvictions(cache, clock);
        EvictionTracer tracer =
            new EvictionTracer(
                SETTINGS,
                agent.channels.open(storage),
                storage,
                DataCacheEvictions.finder(),
                source.epochs(),
                List.of(source),
                clock,
                counters);
        agent.tracers.add(tracer);
        tracer.start();
      }
      return agent;
    } catch (IOException e) {
      agent.close();
      throw new UncheckedIOException("a data cache needs nothing of this host to tell", e);
    }
  }

  /** Sends what is kept to those that are there, within a second for each, and ends. */
  @Override
  public void close() {
    tracers.forEach(EvictionTracer::close);
    channels.close();
  }
}
