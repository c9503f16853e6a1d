// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.core.tls.TlsContext;
import io.rdio.datanode.grant.GrantService;
import io.rdio.datanode.server.MetadataServer;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;

/**
 * The grant service of one DataNode with its threads and, once it could be had, its server. The
 * sweep needs no server: what earlier incarnations pinned goes in its time in any case.
 *
 * <p>{@link #serve} and {@link #close} are for one thread at a time; the rest is thread-safe.
 */
final class GrantRuntime implements AutoCloseable {
  private final DataNodeConfig config;
  private final GrantService grants;
  private final PluginThreads threads;
  private final Configuration conf;
  private volatile @Nullable MetadataServer server;
  private @Nullable TlsContext tls;

  private GrantRuntime(
      Configuration conf, DataNodeConfig config, GrantService grants, PluginThreads threads) {
    this.conf = conf;
    this.config = config;
    this.grants = grants;
    this.threads = threads;
  }

  /** Begins to sweep. Nothing is granted before {@link #serve}. */
  static GrantRuntime start(DataNode dataNode, DataNodeConfig config) {
    PluginThreads threads = new PluginThreads();
    GrantService grants =
        new GrantService(
            config.grants(),
            new HadoopReplicaSource(dataNode, config.allowUnencrypted()),
            Fiemap::extents,
            VolumeDevice::identify,
            System::nanoTime,
            threads);
    threads.often(grants::upkeep, config.sweepMillis());
    threads.sweeping(grants::look, config.sweepMillis());
    return new GrantRuntime(dataNode.getConf(), config, grants, threads);
  }

  /**
   * Opens the port and grants from now on. May be called again after it failed.
   *
   * @throws UnsupportedOperationException when this host or this Hadoop lacks what grants need,
   *     which is not worth another try
   * @throws IllegalArgumentException when a key of TLS has a wrong value
   * @throws NotYetException when the port, or the certificates for it, cannot be had now
   */
  void serve() throws NotYetException {
    PlatformCheck.run();
    TlsContext opened = ServerTls.open(conf);
    boolean serves = false;
    try {
      server = MetadataServer.start(config.address(), config.server(), grants, opened);
      tls = opened;
      serves = true;
    } catch (IOException e) {
      throw new NotYetException(
          e.getMessage()
              + ". Another process of this host may have the port ('ss -ltnp' as root names it):"
              + " end that, or set another in "
              + RdioConfigKeys.DATANODE_ADDRESS.name(),
          e);
    } finally {
      if (!serves && opened != null) {
        opened.close();
      }
    }
  }

  GrantService grants() {
    return grants;
  }

  /** Null until {@link #serve} has succeeded. */
  @Nullable MetadataServer server() {
    return server;
  }

  @Override
  public void close() {
    MetadataServer serving = server;
    if (serving != null) {
      serving.close();
    }
    if (tls != null) {
      tls.close();
    }
    threads.close();
  }
}
