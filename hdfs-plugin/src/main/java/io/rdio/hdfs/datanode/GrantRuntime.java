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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The grant service of one DataNode with its server and its sweeping thread. */
final class GrantRuntime implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GrantRuntime.class);

  private final GrantService grants;
  private final MetadataServer server;
  private final ScheduledThreadPoolExecutor sweeper;
  private final Future<?> sweeping;

  private GrantRuntime(
      GrantService grants,
      MetadataServer server,
      ScheduledThreadPoolExecutor sweeper,
      Future<?> sweeping) {
    this.grants = grants;
    this.server = server;
    this.sweeper = sweeper;
    this.sweeping = sweeping;
  }

  /**
   * @throws IllegalArgumentException when a key's value is wrong
   * @throws IOException when the port cannot be opened
   */
  static GrantRuntime start(DataNode dataNode) throws IOException {
    DataNodeConfig config = DataNodeConfig.of(dataNode.getConf());
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
    MetadataServer server;
    try {
      server = MetadataServer.start(config.address(), config.server(), grants);
    } catch (IOException | RuntimeException e) {
      sweeper.shutdownNow();
      throw e;
    }
    Future<?> sweeping =
        sweeper.scheduleWithFixedDelay(
            () -> sweep(grants), 0, config.sweepMillis(), TimeUnit.MILLISECONDS);
    return new GrantRuntime(grants, server, sweeper, sweeping);
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

  MetadataServer server() {
    return server;
  }

  @Override
  public void close() {
    server.close();
    sweeping.cancel(false);
    sweeper.shutdown();
  }
}
