// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.GrantedLease;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.PlaneGreeting;
import io.rdio.client.plane.PlaneProbe;
import io.rdio.client.plane.grant.MetadataClient;
import io.rdio.client.plane.grant.MetadataClientSettings;
import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.wire.NettyChannelFactory;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/**
 * The plugins of DataNodes as a client with this configuration reaches them, and this host's
 * devices as it sees them, for the {@code rdio} command: also where RDIO is switched off or cannot
 * read. Grants nothing, so holds no leases. Thread-safe.
 */
public final class DataNodePlugins implements AutoCloseable {
  private final boolean useHostname;
  private final DataNodePorts ports;
  private final PlaneProbe probe;
  private final DeviceDirectory devices;

  private DataNodePlugins(ClientSettings settings) throws FallbackException {
    this.useHostname = settings.useDataNodeHostname();
    this.ports =
        new DataNodePorts(settings.dataNodePort(), settings.rpcTimeout(), settings.backOff());
    this.probe =
        new MetadataClient(
            new MetadataClientSettings(
                ClientResources.clientId(),
                settings.rpcTimeout(),
                settings.backOff(),
                settings.leaseMargin()),
            new NettyChannelFactory(ClientResources.tls(settings)),
            new BootTimeClock(),
            new ClientCounters(),
            new NoLeases());
    this.devices = new LocalDeviceDirectory(settings.devices(), settings.readTimeout());
  }

  /**
   * Of a client's configuration.
   *
   * @throws FallbackException CONFIGURATION_INVALID
   */
  public static DataNodePlugins of(Configuration conf) throws FallbackException {
    return new DataNodePlugins(ClientSettings.of(conf));
  }

  /** host:port of a DataNode's plugin; waits at most the RPC timeout. */
  public String endpoint(DatanodeInfo dataNode) throws FallbackException {
    String host = useHostname ? dataNode.getHostName() : dataNode.getIpAddr();
    return ports.endpoint(new DataNodeId(host, dataNode.getXferPort(), dataNode.getInfoPort()));
  }

  /** Who a DataNode's plugin is and on which devices it grants; waits at most the RPC timeout. */
  public PlaneGreeting hello(String endpoint) throws FallbackException {
    return probe.hello(endpoint);
  }

  /** The leases that a DataNode's plugin has granted; waits at most the RPC timeout. */
  public List<GrantedLease> listLeases(String endpoint) throws FallbackException {
    return probe.listLeases(endpoint);
  }

  /** The devices of this host. */
  public DeviceDirectory devices() {
    return devices;
  }

  @Override
  public void close() {
    probe.close();
    devices.close();
  }

  private static final class NoLeases implements MapListener {
    @Override
    public void lost(FileMap map) {}

    @Override
    public void ranOut(FileMap map) {}
  }
}
