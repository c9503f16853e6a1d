// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.runtime;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.filemap.FileMapCache;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapPlane;
import io.rdio.client.plane.device.AutoPlane;
import io.rdio.client.plane.device.DevicePlane;
import io.rdio.client.plane.device.HostVolumes;
import io.rdio.client.plane.device.StorageOwners;
import io.rdio.client.plane.fenced.FencedPlane;
import io.rdio.client.plane.fenced.FencedVolumes;
import io.rdio.client.plane.grant.GrantPlane;
import io.rdio.client.read.BlocksAhead;
import io.rdio.client.read.ReadAheadPool;
import io.rdio.client.read.ReadContext;
import io.rdio.client.read.WindowPool;
import io.rdio.client.write.BlockWriters;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.HostDevices;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.device.RingQueue;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that readers of one program share: file maps and their leases, this host's devices, memory
 * and read queues, and the block data cache; and what writes, if it does. Thread-safe.
 *
 * <p>Readers work once it is made, but leases are kept only after the {@link #start}.
 */
public final class ClientRuntime implements AutoCloseable {
  private final FileMapCache maps;
  private final ReadContext readContext;
  private final @Nullable BlockWriters writers;
  private final AtomicBoolean closed = new AtomicBoolean();

  public ClientRuntime(RuntimeSettings settings, RuntimePorts ports) {
    MonotonicClock clock = new BootTimeClock(); // leases run while the host sleeps
    ClientCounters counters = ports.counters();
    BlockDataCache dataCache = DataCaches.open(settings.dataCache(), clock, counters);
    boolean made = false;
    try {
      GrantPlane grants = grantPlane(settings, ports, clock);
      this.maps =
          maps(
              settings,
              ports,
              plane(settings, grants, clock, counters),
              clock,
              dataCache == null ? map -> {} : dataCache::drop);
      Duration timeout = settings.devices().readTimeout();
      DeviceDirectory devices = new LocalDeviceDirectory(settings.devices().named(), timeout);
      RuntimeSettings.Memory memory = settings.memory();
      WindowPool windows = new WindowPool(memory.bufferBytes(), memory.windowBytes(), counters);
      ReadAheadPool readAheads =
          new ReadAheadPool(windows, memory.readAheadBytes(), () -> RingQueue.open(timeout));
      this.readContext =
          new ReadContext(
              maps,
              devices,
              windows,
              readAheads,
              clock,
              counters,
              dataCache,
              new BlocksAhead(maps, devices, windows, readAheads, clock, counters));
      this.writers = WriteRuntime.writers(settings, grants, devices, clock, counters);
      made = true;
    } finally {
      if (!made && dataCache != null) {
        dataCache.close();
      }
    }
  }

  private static FileMapCache maps(
      RuntimeSettings settings,
      RuntimePorts ports,
      MapPlane plane,
      MonotonicClock clock,
      Consumer<FileMap> withdrawn) {
    return new FileMapCache(
        settings.maps(),
        ports.locator(),
        plane,
        new FileMapCache.Surroundings(clock, ports.counters(), withdrawn, ports.background()));
  }

  /**
   * @param grants null where no DataNode is asked
   */
  private static MapPlane plane(
      RuntimeSettings settings,
      @Nullable GrantPlane grants,
      MonotonicClock clock,
      ClientCounters counters) {
    if (grants == null) {
      return devicePlane(settings, clock, counters);
    }
    return settings.plane().source() == RuntimeSettings.Plane.Source.AUTO
        ? new AutoPlane(grants, devicePlane(settings, clock, counters), clock)
        : grants;
  }

  /** Null where no DataNode is asked: then the channels are closed. */
  private static @Nullable GrantPlane grantPlane(
      RuntimeSettings settings, RuntimePorts ports, MonotonicClock clock) {
    return switch (settings.plane().source()) {
      case GRPC, AUTO ->
          new GrantPlane(
              settings.metadata(), ports.endpoints(), ports.channels(), clock, ports.counters());
      case DEVICE -> {
        ports.channels().close();
        yield null;
      }
    };
  }

  private static MapPlane devicePlane(
      RuntimeSettings settings, MonotonicClock clock, ClientCounters counters) {
    Duration timeout = settings.devices().readTimeout();
    StorageOwners owners = new StorageOwners(settings.plane().owners());
    MapPlane plane =
        new DevicePlane(
            new HostVolumes(new HostDevices(settings.devices().named(), timeout)),
            owners,
            settings.plane().tokensChecked(),
            clock,
            counters.device);
    FencedVolumes fenced =
        FencedVolumes.ofHost(owners, timeout, settings.plane().tokensChecked(), clock);
    return new FencedPlane(plane, fenced, clock, counters.device);
  }

  /** Starts the threads that renew and return leases. */
  public void start() {
    maps.start();
    if (writers != null) {
      writers.start();
    }
  }

  /** What readers read with. */
  public ReadContext readContext() {
    return readContext;
  }

  /** What writes; null where the settings do not say so, or no DataNode is asked for anything. */
  public @Nullable BlockWriters writers() {
    return writers;
  }

  /** The file maps in it. */
  public FileMapCache maps() {
    return maps;
  }

  /**
   * Gives up what is being written, within some seconds; returns all leases, within about a second,
   * and frees memory, devices and read queues; those that readers hold when they give them back.
   * Only the first call does anything.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (writers != null) {
      writers.close(); // first, for DataNodes are told of it
    }
    maps.close(); // before devices, for nothing is read without a lease
    readContext.devices().close();
    readContext.blocksAhead().close(); // gives back to what is closed behind it
    readContext.readAheads().close();
    BlockDataCache dataCache = readContext.dataCache();
    if (dataCache != null) {
      dataCache.close();
    }
  }
}
