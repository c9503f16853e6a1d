// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import io.rdio.core.thread.DaemonLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * PrefCache on a storage node whose kernel exports loop devices: listens to compute nodes, sees
 * what they read and write, and drives the page cache. Start and stop are for one thread; metrics
 * for any.
 *
 * <p>Nothing of it outlives the process but what is in the page cache, which the kernel evicts like
 * anything else. A new agent knows nothing of that; what it is not told of it neither counts nor
 * drops until it is read.
 */
public final class PrefCacheAgent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PrefCacheAgent.class);
  private static final int POLL_MILLIS = 10;
  private static final long SETTLE_MILLIS = 100;

  private final PrefCacheOptions options;
  private final List<StorageDevice> devices;
  private final DeviceLoad load;
  private final ObservedRequests requests;
  private final PrefCache cache;
  private final Prefetcher prefetcher;
  private final PrefCacheServer server;
  private final LongAdder failures = new LongAdder();
  private final DaemonLoop observing = new DaemonLoop("rdio-observe", this::observe, failures);
  private final DaemonLoop settling = new DaemonLoop("rdio-release", this::settle, failures);
  private boolean toldOfLost;
  private boolean toldOfFailure;

  /**
   * Starts it.
   *
   * @param devices numbered from 0 on
   * @throws IOException with what to do, if a device, the kernel or the port does not allow it
   */
  public static PrefCacheAgent start(PrefCacheOptions options, List<StorageDevice> devices)
      throws IOException {
    IoObserver observer = new KernelIoObserver(devices);
    try {
      DeviceLoad load = DeviceLoad.ofSysfs(Path.of("/sys"), devices);
      return new PrefCacheAgent(options, devices, load, observer);
    } catch (IOException | RuntimeException e) {
      observer.close();
      throw e;
    }
  }

  PrefCacheAgent(
      PrefCacheOptions options, List<StorageDevice> devices, DeviceLoad load, IoObserver observer)
      throws IOException {
    SegmentGeometry geometry = options.geometry();
    this.options = options;
    this.devices = List.copyOf(devices);
    this.load = load;
    this.requests = new ObservedRequests(observer, new Requests());
    this.cache =
        new PrefCache(
            listener ->
                new SegmentCache(
                    geometry,
                    options.capacityBytes(),
                    options.dropAt(),
                    options.policy(),
                    options.onWrite(),
                    listener),
            new PageCacheStore(geometry.blockBytes(), devices),
            new PrefetchQueue(
                options.queueRuns(),
                Math.max(1, PageCacheStore.PIECE_BYTES / geometry.blockBytes())));
    this.prefetcher = new Prefetcher(cache, load, options.maxQueueLength());
    try {
      this.server =
          PrefCacheServer.start(
              options.listen(), new PrefCacheService(cache, geometry, devices, this::catchUp));
    } catch (IOException e) {
      cache.close();
      throw e;
    }
    prefetcher.start();
    observing.start();
    settling.start();
  }

  /** What compute nodes ask of the devices. */
  private final class Requests implements IoObserver.Listener {
    @Override
    public void read(int device, long offset, long bytes) {
      cache.wasRead(device, first(offset), blocks(offset, bytes));
    }

    @Override
    public void written(int device, long offset, long bytes) {
      cache.wasWritten(device, first(offset), blocks(offset, bytes));
    }
  }

  private void observe() throws IOException {
    requests.poll(POLL_MILLIS);
    if (!toldOfLost && requests.lost() > 0) {
      toldOfLost = true;
      LOG.warn(
          "PrefCache missed requests of compute nodes: what they read counts as cached until it"
              + " is evicted; the page cache stays coherent. Further ones are only counted");
    }
  }

  /** By the threads of compute nodes' streams. */
  private void catchUp() {
    try {
      requests.catchUp();
    } catch (IOException e) {
      // The observing thread meets it too and says so; evictions are hints, and go on.
      failures.increment();
    }
  }

  private long first(long offset) {
    return offset / options.geometry().blockBytes();
  }

  private int blocks(long offset, long bytes) {
    int block = options.geometry().blockBytes();
    return (int) ((offset + bytes + block - 1) / block - first(offset));
  }

  private void settle() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
    try {
      cache.settle();
    } catch (IOException e) {
      failures.increment();
      if (!toldOfFailure) {
        LOG.warn("PrefCache cannot let go of pages; further failures are only counted", e);
      }
      toldOfFailure = true;
    }
  }

  /** The port it listens on. */
  public int port() {
    return server.port();
  }

  public PrefCacheMetrics metrics() {
    OptionalLong memory;
    try {
      memory = cache.store().residentBytes();
    } catch (IOException e) {
      memory = OptionalLong.empty();
    }
    return new PrefCacheMetrics(
        cache.counts(),
        options.geometry().blockBytes(),
        memory,
        cache.queuedBlocks(),
        devices.stream().mapToLong(device -> load.queueLength(device.number())).sum(),
        prefetcher.pauses(),
        prefetcher.failures() + failures.sum(),
        requests.lost(),
        server.service().refusedBatches(),
        server.service().streams());
  }

  /** Stops everything, the program in the kernel included; the page cache stays as it is. */
  @Override
  public void close() throws IOException {
    server.close();
    prefetcher.close();
    settling.close();
    observing.close();
    requests.close();
    cache.close();
  }
}
