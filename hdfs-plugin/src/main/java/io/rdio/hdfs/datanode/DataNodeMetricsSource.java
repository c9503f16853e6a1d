// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.FallbackReason;
import io.rdio.core.grant.GrantCounters;
import io.rdio.core.grant.GrantService;
import io.rdio.core.grant.VolumeStatus;
import io.rdio.core.metadata.MetadataServer;
import java.util.List;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.Interns;
import org.jspecify.annotations.Nullable;

/** The plugin in the DataNode's metrics: whether it serves, what it holds, what it did. */
final class DataNodeMetricsSource implements MetricsSource {
  private volatile @Nullable GrantService grants;
  private volatile @Nullable MetadataServer server;
  private volatile String failure = "";

  /** It serves from now on. */
  void up(GrantService grantService, MetadataServer metadataServer) {
    grants = grantService;
    server = metadataServer;
  }

  /** It does not serve, and why. */
  void down(String why) {
    grants = null;
    server = null;
    failure = why;
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    GrantService service = grants;
    MetadataServer plane = server;
    MetricsRecordBuilder record = collector.addRecord("RdioDataNode").setContext("dfs");
    record.tag(info("StartFailure", "Why the plugin does not serve; empty when it does"), failure);
    boolean isUp = service != null && plane != null;
    record.addGauge(info("PluginUp", "1 when the plugin serves, 0 when it does not"), isUp ? 1 : 0);
    if (service == null || plane == null) {
      return;
    }
    record.addGauge(info("MetadataPlanePort", "Port of the gRPC server"), plane.port());
    record.addCounter(
        info("BadRequests", "Requests refused as a whole: malformed, too large or too many"),
        plane.badRequests());
    record.addCounter(
        info("ConnectionsRefused", "Connections closed because their address had its share"),
        plane.connectionsRefused());
    addHeld(record, service);
    addDone(record, service.counters());
  }

  private static void addHeld(MetricsRecordBuilder record, GrantService service) {
    List<VolumeStatus> volumes = service.volumes();
    record
        .addGauge(info("LeasesHeld", "Leases held by clients"), service.leaseCount())
        .addGauge(
            info("LeaseHeapBytes", "Heap that leases and pins take"), service.leaseHeapBytes())
        .addGauge(
            info("Pins", "Blocks pinned"), volumes.stream().mapToInt(VolumeStatus::pins).sum())
        .addGauge(
            info("PinnedBytes", "Bytes of pinned blocks and their meta files"),
            volumes.stream().mapToLong(VolumeStatus::pinnedBytes).sum())
        .addGauge(
            info("PinnedDeletedBytes", "Bytes that only pins keep from being freed"),
            volumes.stream().mapToLong(VolumeStatus::pinnedDeletedBytes).sum())
        .addGauge(
            info("VolumesServed", "Storage directories on which maps can be granted"),
            volumes.stream().filter(volume -> volume.refusal() == null).count())
        .addGauge(
            info("VolumesRefused", "Storage directories on which none can"),
            volumes.stream().filter(volume -> volume.refusal() != null).count());
  }

  private static void addDone(MetricsRecordBuilder record, GrantCounters counters) {
    record
        .addCounter(info("Grants", "Leases granted"), counters.grants())
        .addCounter(info("PinsMade", "Grants that had to pin the block first"), counters.pinsMade())
        .addCounter(info("Renewals", "Leases renewed"), counters.renewals())
        .addCounter(info("Recalls", "Leases recalled"), counters.recalls())
        .addGauge(
            info("GrantMicrosP50", "Median duration of a grant request, upper bound"),
            counters.latency().percentileMicros(0.5))
        .addGauge(
            info("GrantMicrosP99", "99th percentile of it"),
            counters.latency().percentileMicros(0.99));
    for (FallbackReason reason : FallbackReason.values()) {
      long refused = counters.refusals(reason);
      if (refused > 0) {
        record.addCounter(info("Refused_" + reason, "Refused: " + reason.text()), refused);
      }
    }
  }

  private static MetricsInfo info(String name, String description) {
    return Interns.info(name, description);
  }
}
