// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.grant.GrantService;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.core.metadata.MetadataServer;
import java.io.IOException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The grant service of one DataNode with its sweeping thread and, once it could be had, its server.
 * The sweep needs no server: what earlier incarnations pinned goes in its time in any case.
 *
 * <p>{@link #serve} and {@link #close} are for one thread at a time; the rest is thread-safe.
 */
final class GrantRuntime implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GrantRuntime.class);

  private final DataNodeConfig config;
  private final GrantService grants;
  private final ScheduledThreadPoolExecutor sweeper;
  private final Future<?> sweeping;
  private volatile @Nullable MetadataServer server;

  private GrantRuntime(
      DataNodeConfig config,
      GrantService grants,
      ScheduledThreadPoolExecutor sweeper,
      Future<?> sweeping) {
    this.config = config;
    this.grants = grants;
    this.sweeper = sweeper;
    this.sweeping = sweeping;
  }

  /** Begins to sweep. Nothing is granted before {@link #serve}. */
  static GrantRuntime start(DataNode dataNode, DataNodeConfig config) {
    ScheduledThreadPoolExecutor sweeper =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "rdio-sweep");
              thread.setDaemon(true);
              return thread;
            },
            // What is asked for after the end is left to the next start.
            new ThreadPoolExecutor.DiscardPolicy());
    GrantService grants =
        new GrantService(
            config.grants(),
            new HadoopReplicaSource(dataNode, config.allowUnencrypted()),
            Fiemap::extents,
            VolumeDevice::identify,
            System::nanoTime,
            sweeper);
    Future<?> sweeping =
        sweeper.scheduleWithFixedDelay(
            () -> sweep(grants), 0, config.sweepMillis(), TimeUnit.MILLISECONDS);
    return new GrantRuntime(config, grants, sweeper, sweeping);
  }

  /**
   * Opens the port and grants from now on. May be called again after it failed.
   *
   * @throws IOException when the port cannot be opened
   */
  void serve() throws IOException {
    server = MetadataServer.start(config.address(), config.server(), grants);
  }

  /** A sweep that fails must not end the sweeping. */
  private static void sweep(GrantService grants) {
    try {
      grants.sweep();
    } catch (RuntimeException e) {
      LOG.error("A sweep over the pins failed; the next one follows", e);
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
    sweeping.cancel(false);
    sweeper.shutdown();
  }
}
