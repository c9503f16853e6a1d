// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.filemap.FileMapCache;
import io.rdio.client.read.ReadContext;
import io.rdio.client.write.BlockWriters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.wire.NettyChannelFactory;
import io.rdio.hdfs.client.DirectGauges;
import io.rdio.hdfs.client.JvmCounters;
import io.rdio.hdfs.client.RdioClientMetrics;
import io.rdio.hdfs.client.namenode.NameNodes;
import io.rdio.hdfs.client.stock.StockBlockSource;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ShutdownHookManager;
import org.jspecify.annotations.Nullable;

/**
 * All that RDIO keeps in a client JVM, for one set of settings. HDFS makes a new accessor builder
 * for each positional read; this is where it finds everything warm. Thread-safe.
 *
 * <p>A Configuration object is looked at once: what is set in it later has no effect on RDIO.
 */
public final class RdioClientContext implements AutoCloseable {
  /** After Hadoop's file systems are closed (10), so that reads in their hooks still work. */
  private static final int SHUTDOWN_PRIORITY = 5;

  // DFSClient hands the same Configuration object to every builder. Weak keys compare by identity.
  private static final Cache<Configuration, RdioClientContext> BY_CONFIGURATION =
      Caffeine.newBuilder().weakKeys().build();

  // The first one, mostly the only one: Caffeine allocates for each lookup by identity.
  private static final AtomicReference<@Nullable Usual> USUAL = new AtomicReference<>();

  private static final ConcurrentHashMap<ClientSettings, RdioClientContext> BY_SETTINGS =
      new ConcurrentHashMap<>();
  private static final AtomicBoolean HOOKED = new AtomicBoolean();

  private final @Nullable FallbackException unusable;
  private final @Nullable ClientResources resources;
  private volatile boolean closed;

  private RdioClientContext(
      @Nullable FallbackException unusable, @Nullable ClientResources resources) {
    this.unusable = unusable;
    this.resources = resources;
  }

  private record Usual(WeakReference<Configuration> conf, RdioClientContext context) {}

  /** The context of a configuration; made when it is first asked for. Warm, at most a lookup. */
  public static RdioClientContext get(Configuration conf) {
    Usual first = USUAL.get();
    if (first != null && first.conf().refersTo(conf) && !first.context().closed) {
      return first.context();
    }
    RdioClientContext context = BY_CONFIGURATION.getIfPresent(conf);
    while (context == null || context.closed) {
      // Once more where it was closed while it was looked up: close() found it nowhere yet.
      context =
          BY_CONFIGURATION
              .asMap()
              .compute(conf, (key, old) -> old == null || old.closed ? find(key, false) : old);
    }
    if (first == null || first.conf().refersTo(null) || first.context().closed) {
      USUAL.set(new Usual(new WeakReference<>(conf), context));
      if (context.closed) {
        USUAL.set(null); // meanwhile
      }
    }
    return context;
  }

  /**
   * That of an agent, which gives nobody a byte of a block before it has checked that one's token.
   * It is no client's of the same configuration.
   */
  public static RdioClientContext ofAgent(Configuration conf) {
    return find(conf, true);
  }

  private static RdioClientContext find(Configuration conf, boolean tokensChecked) {
    try {
      ClientSettings settings = ClientSettings.of(conf, tokensChecked);
      FallbackException unusable = ClientResources.whyUnusable(settings);
      if (unusable != null) {
        return new RdioClientContext(unusable, null);
      }
      RdioClientContext context = of(settings);
      context.resources().nameNodes().learn(conf);
      return context;
    } catch (FallbackException e) {
      return new RdioClientContext(e, null);
    }
  }

  private static RdioClientContext of(ClientSettings settings) throws FallbackException {
    try {
      return BY_SETTINGS.compute(
          settings, (key, old) -> old == null || old.closed ? create(key) : old);
    } catch (CompletionException e) {
      throw e.getCause() instanceof FallbackException refusal
          ? refusal
          : new FallbackException(
              FallbackReason.INTERNAL_ERROR, "the client could not be set up", e);
    }
  }

  private static RdioClientContext create(ClientSettings settings) {
    NettyChannelFactory channels;
    try {
      channels = new NettyChannelFactory(ClientResources.tls(settings));
    } catch (FallbackException e) {
      throw new CompletionException(e); // through the map, which then keeps nothing
    }
    RdioClientMetrics.ofDirectClients(RdioClientContext::addUp);
    RdioClientMetrics.register();
    ShutdownHookManager hooks = ShutdownHookManager.get();
    if (!hooks.isShutdownInProgress() && HOOKED.compareAndSet(false, true)) {
      hooks.addShutdownHook(RdioClientContext::closeAll, SHUTDOWN_PRIORITY);
    }
    return new RdioClientContext(
        null, new ClientResources(settings, channels, JvmCounters.READS, JvmCounters.EVICTIONS));
  }

  /** What all contexts of this JVM did, counted. */
  public static ClientCounters counters() {
    return JvmCounters.READS;
  }

  /** Every counter and gauge of this JVM by its name in the metrics source {@code RdioClient}. */
  public static Map<String, Long> dump() {
    return RdioClientMetrics.values();
  }

  /** Refuses with the reason why this configuration's reads never use RDIO. */
  public void requireUsable() throws FallbackException {
    if (unusable != null) {
      throw unusable;
    }
  }

  /**
   * What readers need.
   *
   * @throws IllegalStateException if RDIO cannot be used with this configuration
   */
  ClientResources resources() {
    if (resources == null) {
      throw new IllegalStateException("RDIO is not in use here: " + unusable);
    }
    return resources;
  }

  /** Why RDIO is not used with this configuration; null if it is. */
  public @Nullable FallbackException unusable() {
    return unusable;
  }

  /** The FileMap cache; only where RDIO is in use. */
  public FileMapCache maps() {
    return resources().maps();
  }

  /** What reads are made with; only where RDIO is in use. */
  public ReadContext readContext() {
    return resources().readContext();
  }

  /** What blocks are written with; null unless this is an agent that writes. */
  public @Nullable BlockWriters writers() {
    return resources().writers();
  }

  /** The clients of the nameservices; only where RDIO is in use. */
  public NameNodes nameNodes() {
    return resources().nameNodes();
  }

  /** Where stock reads find the blocks of a pool; only where RDIO is in use. */
  public StockBlockSource stockBlocks(String poolId) {
    return resources().stockBlocks(poolId);
  }

  /** The devices of this host; only where RDIO is in use. */
  public DeviceDirectory devices() {
    return resources().devices();
  }

  private static void addUp(DirectGauges sum) {
    sum.clockJumps += BootTimeClock.jumps();
    for (RdioClientContext context : BY_SETTINGS.values()) {
      sum.contexts++;
      context.resources().addTo(sum);
    }
  }

  /** Returns all leases, of all contexts; later reads start anew. */
  public static void closeAll() {
    List.copyOf(BY_SETTINGS.values()).forEach(RdioClientContext::close);
  }

  /** Returns this context's leases within about a second; the next {@link #get} makes a new one. */
  @Override
  public void close() {
    closed = true; // first: what is in the maps without being closed stays good
    BY_SETTINGS.values().remove(this);
    BY_CONFIGURATION.asMap().values().removeIf(context -> context == this);
    USUAL.set(null);
    if (resources != null) {
      resources.close();
    }
  }
}
