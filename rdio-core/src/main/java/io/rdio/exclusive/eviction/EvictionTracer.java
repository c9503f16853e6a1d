// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.grpc.ManagedChannel;
import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.linux.InodeExtents;
import io.rdio.core.thread.DaemonLoop;
import io.rdio.core.time.MonotonicClock;
import io.rdio.exclusive.wire.CachedDevice;
import io.rdio.nativeio.KTracer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * KTracer's agent: takes evictions from its sources, and tells the storage node the blocks. One
 * lock, never held across anything that waits but for the file system's answer to FIEMAP.
 * Thread-safe.
 *
 * <p>Memory is bounded by the settings: extents and windows 24 bytes each for every device, waiting
 * segments about 150 bytes, kept runs 28 bytes. With the default settings that is 6 + 10 + 2 MB.
 */
public final class EvictionTracer implements AutoCloseable {
  /** That can be traced at a time. */
  public static final int DEVICES = KTracer.DEVICES;

  private static final Logger LOG = LoggerFactory.getLogger(EvictionTracer.class);
  private static final int TICK_MILLIS = 50;

  /**
   * How it works.
   *
   * @param patience how long blocks of a segment wait for their neighbours
   * @param enough blocks of a segment that it takes to send all of it; 0 for all
   * @param maxWaiting segments that may wait at a time, on each device
   * @param keptRuns runs of blocks that are kept while the storage agent is away
   * @param extents that are cached for each device; see {@link ExtentCache}
   * @param rescan how often to look which of the storage node's devices are here, mounted or not
   */
  public record Settings(
      Duration patience, int enough, int maxWaiting, int keptRuns, long extents, Duration rescan) {
    public static final Settings DEFAULT =
        new Settings(Duration.ofMillis(200), 0, 1 << 16, 1 << 16, 1 << 18, Duration.ofSeconds(10));
  }

  private final Settings settings;
  private final StorageLink link;
  private final DeviceFinder finder;
  private final ExtentEpochs epochs;
  private final List<EvictionSource> sources;
  private final MonotonicClock clock;
  private final EvictionCounters counters;
  private final EvictionSender sender;
  private final @Nullable DeviceTrace[] traces = new DeviceTrace[DEVICES];
  private final DaemonLoop ticker;
  private List<CachedDevice> cached = List.of();
  private long scannedNanos;
  private boolean closed;

  /**
   * Nothing is traced before {@link #start}.
   *
   * @param channel to the storage node's agent; shut down when this is closed
   * @param endpoint of it, for messages
   * @param epochs of the sources' files
   * @param sources closed when this is
   */
  public EvictionTracer(
      Settings settings,
      ManagedChannel channel,
      String endpoint,
      DeviceFinder finder,
      ExtentEpochs epochs,
      List<EvictionSource> sources,
      MonotonicClock clock) {
    this(settings, channel, endpoint, finder, epochs, sources, clock, new EvictionCounters());
  }

  /** One that shares its counters with others. */
  EvictionTracer(
      Settings settings,
      ManagedChannel channel,
      String endpoint,
      DeviceFinder finder,
      ExtentEpochs epochs,
      List<EvictionSource> sources,
      MonotonicClock clock,
      EvictionCounters counters) {
    this.settings = settings;
    this.counters = counters;
    this.link = new StorageLink(channel, endpoint, clock, counters);
    this.finder = finder;
    this.epochs = epochs;
    this.sources = List.copyOf(sources);
    this.clock = clock;
    this.sender = new EvictionSender(settings.keptRuns(), epochs, counters);
    this.ticker = new DaemonLoop("rdio-evictions", this::turn, counters.tracerFailures);
  }

  /** Begins; called once. */
  public void start() throws IOException {
    startSources();
    ticker.start();
  }

  /** Without the thread that calls {@link #tick}. */
  void startSources() throws IOException {
    for (EvictionSource source : sources) {
      source.start(this::evicted);
    }
  }

  public EvictionCounters counters() {
    return counters;
  }

  /** What is traced now, in words. */
  public synchronized List<String> traced() {
    List<String> names = new ArrayList<>();
    for (DeviceTrace trace : traces) {
      if (trace != null) {
        names.add(trace.device().toString());
      }
    }
    return names;
  }

  private synchronized void evicted(Eviction eviction) {
    DeviceTrace trace = traces[eviction.device()];
    if (closed || trace == null) {
      return;
    }
    counters.evictions.increment();
    counters.evictedBytes.add(eviction.bytes());
    try {
      trace.evicted(eviction);
    } catch (RuntimeException | Error e) {
      // One eviction must not end its source.
      LOG.error("RDIO: KTracer leaves out {}", eviction, e);
    }
  }

  private void turn() throws InterruptedException {
    tick();
    Thread.sleep(TICK_MILLIS);
  }

  /** One turn of everything that goes by time. */
  void tick() {
    link.tick();
    List<CachedDevice> told = link.newDevices();
    if (told != null) {
      cached = told;
    }
    if (told != null || clock.nanos() - scannedNanos > settings.rescan().toNanos()) {
      scannedNanos = clock.nanos();
      scan();
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      for (DeviceTrace trace : traces) {
        if (trace != null) {
          trace.batcher().tick();
        }
      }
    }
    while (sendBatch()) {
      // One after the other, for whoever evicts is not to wait for all of them.
    }
  }

  private synchronized boolean sendBatch() {
    return !closed && sender.sendBatch(link, this::device);
  }

  private @Nullable TracedDevice device(int index) {
    DeviceTrace trace = traces[index];
    return trace == null ? null : trace.device();
  }

  private void scan() {
    try {
      List<TracedDevice> found = finder.find(cached);
      synchronized (this) {
        if (!closed) {
          dropMissing(found);
          found.forEach(this::keepOrAdd);
        }
      }
    } catch (IOException e) {
      LOG.warn("RDIO: KTracer cannot look for devices: {}", e.toString());
    }
  }

  private void dropMissing(List<TracedDevice> found) {
    for (int i = 0; i < DEVICES; i++) {
      DeviceTrace trace = traces[i];
      if (trace != null && found.stream().noneMatch(trace.device()::sameAs)) {
        traces[i] = null;
        sender.forget(i);
        for (EvictionSource source : sources) {
          source.untraced(i);
        }
        LOG.info("RDIO: KTracer does not trace {} any more", trace.device());
      }
    }
  }

  private void keepOrAdd(TracedDevice device) {
    int free = -1;
    for (int i = DEVICES - 1; i >= 0; i--) {
      DeviceTrace trace = traces[i];
      if (trace == null) {
        free = i;
      } else if (trace.device().sameAs(device)) {
        // The agent may number it otherwise than the one before.
        traces[i] = trace.with(device);
        return;
      }
    }
    if (free < 0) {
      LOG.warn("RDIO: KTracer leaves out {}: it traces {} devices already", device, DEVICES);
      return;
    }
    traces[free] = trace(free, device);
    for (EvictionSource source : sources) {
      source.traced(free, device);
    }
  }

  private DeviceTrace trace(int index, TracedDevice device) {
    SegmentBatcher batcher =
        new SegmentBatcher(
            device.segmentBlocks(),
            settings.enough() == 0
                ? device.segmentBlocks()
                : Math.min(settings.enough(), device.segmentBlocks()),
            settings.patience(),
            settings.maxWaiting(),
            clock,
            sender,
            counters);
    ExtentCache extents =
        device.view().isEmpty() || device.mount().isEmpty()
            ? null
            : new ExtentCache(
                device.view().get().kernelDevice(),
                epochs,
                new InodeExtents(
                        device.mount().get(),
                        device.view().get().major(),
                        device.view().get().minor())
                    ::window,
                clock,
                settings.extents(),
                counters);
    return new DeviceTrace(index, device, extents, batcher, counters);
  }

  /** Ends the sources, sends what is left if the agent takes it at once, and lets go of all. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      for (DeviceTrace trace : traces) {
        if (trace != null) {
          trace.batcher().flush();
        }
      }
      while (sender.sendBatch(link, this::device)) {
        // as long as the agent takes them
      }
      // From here on nobody asks for epochs, which go with their source.
      closed = true;
    }
    ticker.end();
    sources.forEach(EvictionSource::close);
    link.close();
  }
}
