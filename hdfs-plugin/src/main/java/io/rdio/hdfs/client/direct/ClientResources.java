// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.filemap.BlockLocator;
import io.rdio.client.filemap.FileMapCache;
import io.rdio.client.filemap.FileMapSettings;
import io.rdio.client.plane.grant.MetadataClientSettings;
import io.rdio.client.read.ReadContext;
import io.rdio.client.route.Routers;
import io.rdio.client.runtime.ClientRuntime;
import io.rdio.client.runtime.RuntimePorts;
import io.rdio.client.runtime.RuntimeSettings;
import io.rdio.client.write.BlockWriters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.tls.TlsContext;
import io.rdio.core.tls.TlsSettings;
import io.rdio.core.wire.ChannelFactory;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.hdfs.client.DirectGauges;
import io.rdio.hdfs.client.ThinSettings;
import io.rdio.hdfs.client.locate.LocatorChain;
import io.rdio.hdfs.client.locate.NameNodeLocator;
import io.rdio.hdfs.client.locate.RecentBlocks;
import io.rdio.hdfs.client.locate.RecordedLocator;
import io.rdio.hdfs.client.namenode.NameNodes;
import io.rdio.hdfs.client.stock.StockBlockSource;
import io.rdio.hdfs.client.stock.StockBlocks;
import io.rdio.hdfs.client.way.BlockWays;
import io.rdio.hdfs.tls.TlsConfig;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link RdioClientContext} that is in use needs of Hadoop, and the client that is put
 * together with it. Thread-safe.
 */
final class ClientResources implements AutoCloseable {
  /** More replicas of one block are not read by. */
  private static final int USUAL_REPLICATION = 3;

  private final NameNodes nameNodes;
  private final RecentBlocks recentBlocks = new RecentBlocks();
  private final ConcurrentHashMap<String, StockBlockSource> stockBlocks = new ConcurrentHashMap<>();
  private final BackgroundLoads loads = new BackgroundLoads("rdio-map-load");
  private final BackgroundLoads ranges = new BackgroundLoads("rdio-second-way");
  private final ClientRuntime runtime;
  private final BlockWays ways;
  private final @Nullable Runnable endTelling;

  /**
   * @param channels to the DataNodes' plugins, closed together with this
   * @param counters of reads
   * @param evictions what storage nodes are told of the block data cache
   */
  ClientResources(
      ClientSettings settings,
      ChannelFactory channels,
      ClientCounters counters,
      EvictionCounters evictions) {
    this.nameNodes = new NameNodes(settings.rpcTimeout());
    this.runtime =
        new ClientRuntime(
            runtimeSettings(settings),
            new RuntimePorts(
                locator(settings, nameNodes, recentBlocks),
                new DataNodePorts(
                    settings.dataNodePort(), settings.rpcTimeout(), settings.backOff()),
                channels,
                loads,
                counters));
    this.ways =
        DeviceWays.of(
            runtime.readContext(),
            new Detours(
                settings.firstBytes(),
                settings.plane().source() != RuntimeSettings.Plane.Source.GRPC,
                routers(settings, counters)),
            ranges);
    runtime.start();
    this.endTelling = tellEvictions(settings.storageAgents(), runtime, evictions);
  }

  private static int replicas(ClientSettings settings) {
    return settings.routing() == ClientSettings.Routing.ADAPTIVE ? USUAL_REPLICATION : 1;
  }

  private static @Nullable Routers routers(ClientSettings settings, ClientCounters counters) {
    return switch (settings.routing()) {
      case FALSE -> null;
      case TRUE -> new Routers(counters, System::nanoTime, false);
      case ADAPTIVE -> new Routers(counters, System::nanoTime, true);
    };
  }

  private static RuntimeSettings runtimeSettings(ClientSettings settings) {
    return new RuntimeSettings(
        new FileMapSettings(
            settings.cacheBytes(),
            settings.prefetchBlocks(),
            settings.rpcTimeout(),
            settings.backOff(),
            settings.quarantine(),
            replicas(settings)),
        new MetadataClientSettings(
            clientId(),
            settings.rpcTimeout(),
            settings.backOff(),
            settings.leaseMargin(),
            ProtocolRange.SUPPORTED,
            // A DataNode at the other end of TLS has shown its certificate.
            settings.nullChecksums() || settings.tls() != null),
        settings.plane(),
        new RuntimeSettings.Devices(settings.devices(), settings.readTimeout()),
        new RuntimeSettings.Memory(
            settings.bufferBytes(), settings.windowBytes(), settings.readAheadBytes()),
        settings.dataCacheBytes() == 0
            ? null
            : new RuntimeSettings.DataCache(
                settings.dataCacheBytes(), settings.dataCacheChunk(), settings.dataCacheFlash()),
        settings.writes());
  }

  private static @Nullable Runnable tellEvictions(
      List<String> storageAgents, ClientRuntime runtime, EvictionCounters counters) {
    BlockDataCache cache = runtime.readContext().dataCache();
    return cache == null || storageAgents.isEmpty()
        ? null
        : EvictedChunks.tell(
            cache, runtime.maps()::peek, runtime.readContext().clock(), storageAgents, counters);
  }

  /** Why this client cannot open devices itself with these settings; null if it can. */
  static @Nullable FallbackException whyUnusable(ClientSettings settings) {
    FallbackException unusable =
        ThinSettings.whyUnusable(settings.enabled(), settings.encryptionRequired());
    if (unusable != null) {
      return unusable;
    }
    if (settings.tlsRequired()) {
      return new FallbackException(FallbackReason.TLS_REQUIRED, TlsConfig.CLIENT.missing());
    }
    return null;
  }

  /**
   * The TLS of such channels; null for plain text.
   *
   * @throws FallbackException CONFIGURATION_INVALID if the certificates or keys cannot be used
   */
  static @Nullable TlsContext tls(ClientSettings settings) throws FallbackException {
    TlsSettings tls = settings.tls();
    return tls == null ? null : ClientTls.open(tls);
  }

  private static BlockLocator locator(
      ClientSettings settings, NameNodes nameNodes, RecentBlocks recentBlocks) {
    List<BlockLocator> locators =
        settings.locations().stream()
            .map(
                source ->
                    switch (source) {
                      case RECORDED -> (BlockLocator) new RecordedLocator();
                      case NAMENODE ->
                          new NameNodeLocator(
                              nameNodes,
                              recentBlocks,
                              settings.useDataNodeHostname(),
                              settings.backOff());
                    })
            .toList();
    return new LocatorChain(locators);
  }

  // For people who look at a DataNode's leases, and unique for the DataNode.
  static String clientId() {
    return NetUtils.getHostname().replace('/', '@')
        + "/"
        + ProcessHandle.current().pid()
        + "/"
        + UUID.randomUUID();
  }

  NameNodes nameNodes() {
    return nameNodes;
  }

  /** Where stock reads find the blocks of a pool. */
  StockBlockSource stockBlocks(String poolId) {
    StockBlockSource known = stockBlocks.get(poolId);
    return known != null
        ? known
        : stockBlocks.computeIfAbsent(
            poolId, pool -> new StockBlocks(nameNodes, recentBlocks, pool));
  }

  /** Adds what is held here. */
  void addTo(DirectGauges sum) {
    sum.maps += maps().size();
    sum.mapBytes += maps().weightedBytes();
    sum.crcBytes += maps().crcBytes();
    sum.leases += maps().leasesHeld();
    sum.lentBytes += readContext().windows().lentBytes();
    sum.allocatedBytes += readContext().windows().allocatedBytes();
    BlockDataCache dataCache = readContext().dataCache();
    if (dataCache != null) {
      sum.cachedBytes += dataCache.cachedBytes();
      sum.flashBytes += dataCache.flashBytes();
      sum.cacheAllocatedBytes += dataCache.allocatedBytes();
    }
  }

  FileMapCache maps() {
    return runtime.maps();
  }

  /** What blocks are written with; null unless the settings have writes. */
  @Nullable BlockWriters writers() {
    return runtime.writers();
  }

  DeviceDirectory devices() {
    return readContext().devices();
  }

  ReadContext readContext() {
    return runtime.readContext();
  }

  /** The ways that reads can take. */
  BlockWays ways() {
    return ways;
  }

  @Override
  public void close() {
    loads.close();
    ranges.close();
    if (endTelling != null) {
      // Before the leases are given up, which vouch for what it has yet to send.
      endTelling.run();
    }
    runtime.close();
    nameNodes.close();
  }
}
