// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.AgentSettings;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.locate.NameNodes;
import io.rdio.hdfs.client.locate.RecentBlocks;
import io.rdio.hdfs.client.stock.StockBlockSource;
import io.rdio.hdfs.client.stock.StockBlocks;
import io.rdio.hdfs.client.way.AgentWay;
import io.rdio.hdfs.client.way.BlockWays;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * What a client JVM needs while the agent of its host reads for it: next to nothing, for most such
 * JVMs live for seconds. The client that opens devices itself ({@link RdioClientContext}) and the
 * one that reads as stock HDFS does are made when a read needs them, with all their libraries.
 * Thread-safe.
 *
 * <p>A Configuration object is looked at once: what is set in it later has no effect on RDIO.
 */
final class ThinClient {
  // A Configuration is equal to itself only, and DFSClient hands the same one to every builder.
  @GuardedBy("BY_CONFIGURATION")
  private static final Map<Configuration, ThinClient> BY_CONFIGURATION = new WeakHashMap<>();

  /** The one that was asked for last, mostly the only one. */
  private static volatile @Nullable ThinClient last;

  private final WeakReference<Configuration> conf;
  private final @Nullable FallbackException unusable;
  private final @Nullable BlockWays ways;
  private volatile @Nullable NameNodes nameNodes;

  private ThinClient(Configuration conf) {
    this.conf = new WeakReference<>(conf);
    FallbackException refusal = null;
    BlockWays byAgent = null;
    try {
      ClientSettings settings = ClientSettings.of(conf);
      refusal = whyUnusable(settings);
      if (refusal == null && !settings.agent().mode().equals("off")) {
        byAgent = byAgent(settings);
        RdioClientMetrics.register();
      }
    } catch (FallbackException e) {
      refusal = e;
    }
    this.unusable = refusal;
    this.ways = byAgent;
  }

  /** The one of a configuration. */
  static ThinClient of(Configuration conf) {
    ThinClient known = last;
    if (known != null && known.conf.refersTo(conf)) {
      return known;
    }
    synchronized (BY_CONFIGURATION) {
      known = BY_CONFIGURATION.get(conf);
      if (known == null) {
        known = new ThinClient(conf);
        BY_CONFIGURATION.put(conf, known);
      }
    }
    last = known;
    return known;
  }

  /** Why RDIO cannot be used at all with these settings on this host; null if it can. */
  static @Nullable FallbackException whyUnusable(ClientSettings settings) {
    if (!settings.enabled()) {
      return new FallbackException(
          FallbackReason.DISABLED, RdioConfigKeys.CLIENT_ENABLED.name() + " is false");
    }
    if (settings.encryptionRequired()) {
      return new FallbackException(
          FallbackReason.ENCRYPTION_REQUIRED,
          "this client's configuration has dfs.encrypt.data.transfer or a privacy protection, and "
              + RdioConfigKeys.CLIENT_ALLOW_UNENCRYPTED.name()
              + " is false");
    }
    NativeAvailability library = NativeLibrary.availability();
    if (!library.isAvailable()) {
      return new FallbackException(
          FallbackReason.NATIVE_LIBRARY_UNAVAILABLE, library.detail(), library.cause());
    }
    return null;
  }

  private BlockWays byAgent(ClientSettings settings) {
    ClientSettings.Agent uses = settings.agent();
    AgentClient agent =
        AgentClient.of(
            new AgentSettings(
                uses.socket(),
                processName(),
                uses.memory(),
                settings.readTimeout().toNanos(),
                settings.readAheadBytes()));
    boolean required = uses.mode().equals("required");
    return new BlockWays(
        JvmCounters.READS,
        required
            ? List.of(block -> AgentWay.open(agent, true, JvmCounters.READS, block))
            : List.of(
                block -> AgentWay.open(agent, false, JvmCounters.READS, block),
                block -> full().ways().open(0, block),
                block -> full().ways().open(1, block)));
  }

  /** For people who look at the agent. */
  private static String processName() {
    return "pid " + ProcessHandle.current().pid();
  }

  /** Refuses with the reason why this configuration's reads never use RDIO. */
  void requireUsable() throws FallbackException {
    if (unusable != null) {
      throw unusable;
    }
  }

  /** The ways that reads can take. */
  BlockWays ways() throws FallbackException {
    return ways == null ? full().ways() : ways;
  }

  /** The client that opens devices itself. */
  private ClientResources full() throws FallbackException {
    RdioClientContext context = RdioClientContext.get(configuration());
    context.requireUsable();
    return context.resources();
  }

  private Configuration configuration() throws FallbackException {
    Configuration mine = conf.get();
    if (mine == null) {
      throw new FallbackException(
          FallbackReason.ACCESSOR_CLOSED, "the client of this reader is closed");
    }
    return mine;
  }

  /** Where stock reads find the blocks of a pool. */
  StockBlockSource stockBlocks(String poolId) throws FallbackException {
    return ways == null
        ? full().stockBlocks(poolId)
        : new LaterStockBlocks(() -> stockBlocksNow(poolId));
  }

  /** The same, at last, for one that did not need them until now. */
  private StockBlockSource stockBlocksNow(String poolId) throws FallbackException {
    NameNodes mine = nameNodes;
    if (mine == null) {
      synchronized (this) {
        mine = nameNodes;
        if (mine == null) {
          Configuration from = configuration();
          mine = new NameNodes(RdioConfigKeys.CLIENT_RPC_TIMEOUT.get(from));
          mine.learn(from);
          nameNodes = mine;
        }
      }
    }
    return new StockBlocks(mine, new RecentBlocks(), poolId);
  }
}
