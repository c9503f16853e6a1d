// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.fence.FenceRecords;
import io.rdio.core.fence.HostKey;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.tls.TlsContext;
import io.rdio.datanode.allocate.KeptRemoval;
import io.rdio.datanode.allocate.WriteConfig;
import io.rdio.datanode.allocate.WriteRoom;
import io.rdio.datanode.grant.GrantService;
import io.rdio.datanode.server.MetadataServer;
import io.rdio.datanode.volume.AgentFences;
import io.rdio.datanode.volume.FenceRecordedVolumes;
import io.rdio.datanode.volume.NoFences;
import io.rdio.datanode.volume.ReservedVolumes;
import io.rdio.datanode.volume.VolumeIdentifier;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.datanode.dataset.DataNodeReplicas;
import io.rdio.hdfs.datanode.write.WriteRuntime;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The grant service of one DataNode with its threads, where they are switched on the remote writes,
 * and, once it could be had, the server. The sweep needs no server: what earlier incarnations
 * pinned or lent goes in its time in any case.
 *
 * <p>{@link #serve} and {@link #close} are for one thread at a time; the rest is thread-safe.
 */
final class GrantRuntime implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GrantRuntime.class);

  private final DataNodeConfig config;
  private final GrantService grants;
  private final @Nullable WriteRuntime writes;
  private final PluginThreads threads;
  private final Configuration conf;
  private volatile @Nullable MetadataServer server;
  private @Nullable TlsContext tls;

  private GrantRuntime(
      Configuration conf,
      DataNodeConfig config,
      GrantService grants,
      @Nullable WriteRuntime writes,
      PluginThreads threads) {
    this.conf = conf;
    this.config = config;
    this.grants = grants;
    this.writes = writes;
    this.threads = threads;
  }

  /** Begins to sweep. Nothing is granted before {@link #serve}. */
  static GrantRuntime start(DataNode dataNode, DataNodeConfig config) {
    PluginThreads threads = new PluginThreads();
    DataNodeReplicas replicas =
        new DataNodeReplicas(
            dataNode,
            config.allowUnencrypted() ? null : TransferEncryption.askedFor(dataNode.getConf()));
    ReservedVolumes reserved = reserved(dataNode, config);
    GrantService grants =
        new GrantService(
            config.grants(),
            new HadoopReplicaSource(dataNode, replicas),
            Fiemap::extents,
            identifier(reserved),
            System::nanoTime,
            threads);
    threads.often(grants::upkeep, config.sweepMillis());
    threads.sweeping(grants::look, config.sweepMillis());
    WriteRuntime writes =
        startWrites(
            dataNode,
            replicas,
            config.writes(),
            reserved == null ? new NoFences() : reserved,
            threads);
    Runnable upkeep =
        writes == null
            ? new KeptRemoval(replicas::storages, threads, System::nanoTime)::upkeep
            : writes.room()::upkeep;
    threads.sweeping(upkeep, config.sweepMillis());
    return new GrantRuntime(dataNode.getConf(), config, grants, writes, threads);
  }

  /** Null where no device is. */
  private static @Nullable ReservedVolumes reserved(DataNode dataNode, DataNodeConfig config) {
    if (config.fence() == DataNodeConfig.Fence.OFF) {
      return null;
    }
    ReservedVolumes.Own own =
        new ReservedVolumes.Own(
            HostKey.of(dataNode.getDatanodeHostname()),
            config.reservationType(),
            config.fence() == DataNodeConfig.Fence.REQUIRED);
    return new ReservedVolumes(VolumeDevice::identify, own, new BootTimeClock());
  }

  private static VolumeIdentifier identifier(@Nullable ReservedVolumes reserved) {
    VolumeIdentifier devices = VolumeDevice::identify;
    return new FenceRecordedVolumes(
        reserved == null ? devices : reserved, devices, new FenceRecords(FenceRecords.DEFAULT));
  }

  /** Null where nothing is to be written, or cannot be: that is no reason not to serve readers. */
  private static @Nullable WriteRuntime startWrites(
      DataNode dataNode,
      DataNodeReplicas replicas,
      @Nullable WriteConfig config,
      AgentFences fences,
      PluginThreads threads) {
    if (config == null) {
      return null;
    }
    try {
      PlatformCheck.runForWrites();
      return WriteRuntime.start(dataNode, replicas, config, fences, threads);
    } catch (UnsupportedOperationException | LinkageError e) {
      LOG.error(
          "Nothing is written by RDIO on this DataNode, which serves readers all the same: {}. Set"
              + " {} to off, or mend it",
          e.getMessage(),
          RdioConfigKeys.DATANODE_WRITE,
          e);
      return null;
    }
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
      WriteRoom room = writes == null ? null : writes.room();
      server = MetadataServer.start(config.address(), config.server(), grants, room, opened);
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

  /** Null where agents do not write here. */
  @Nullable WriteRuntime writes() {
    return writes;
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
    if (writes != null) {
      writes.close();
    }
    threads.close();
  }
}
