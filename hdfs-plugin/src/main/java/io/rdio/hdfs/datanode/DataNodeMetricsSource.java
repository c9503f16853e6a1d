// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.FallbackReason;
import io.rdio.datanode.grant.GrantCounters;
import io.rdio.datanode.grant.GrantService;
import io.rdio.datanode.grant.VolumeStatus;
import io.rdio.datanode.server.MetadataServer;
import io.rdio.hdfs.datanode.write.WriteRuntime;
import java.util.List;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.Interns;
import org.jspecify.annotations.Nullable;

/** The plugin in the DataNode's metrics: whether it serves, what it holds, what it did. */
final class DataNodeMetricsSource implements MetricsSource {
  private volatile @Nullable GrantRuntime runtime;
  private volatile String failure = "";

  /** It sweeps, and tells what it holds. */
  void runs(GrantRuntime started) {
    runtime = started;
  }

  /** It has its server. */
  void serves() {
    failure = "";
  }

  /** It has no server, and why. */
  void doesNotServe(String why) {
    failure = why;
  }

  /** It is over. */
  void stopped() {
    runtime = null;
    failure = "stopped";
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    GrantRuntime running = runtime;
    if (running == null) {
      put(collector, null, null, null);
    } else {
      put(collector, running.server(), running.grants(), running.writes());
    }
  }

  /**
   * Puts one record.
   *
   * @param plane null while there is none
   * @param grants null while nothing runs
   * @param writes null where agents do not write here
   */
  void put(
      MetricsCollector collector,
      @Nullable MetadataServer plane,
      @Nullable GrantService grants,
      @Nullable WriteRuntime writes) {
    MetricsRecordBuilder record = collector.addRecord("RdioDataNode").setContext("dfs");
    record.tag(
        info("StartFailure", "Why the plugin does not serve; empty when it does"),
        plane == null ? tagText(failure) : "");
    record.addGauge(
        info("PluginUp", "1 when the plugin serves, 0 when it does not"), plane == null ? 0 : 1);
    if (plane != null) {
      addPlane(record, plane);
    }
    if (grants != null) {
      addHeld(record, grants);
      addDone(record, grants.counters());
    }
    if (writes != null) {
      writes.addTo(record);
    }
  }

  private static void addPlane(MetricsRecordBuilder record, MetadataServer plane) {
    record.addGauge(info("MetadataPlanePort", "Port of the gRPC server"), plane.port());
    record.addCounter(
        info("BadRequests", "Requests refused as a whole: malformed, too large or too many"),
        plane.badRequests());
    record.addCounter(
        info("ConnectionsRefused", "Connections closed because their address had its share"),
        plane.connectionsRefused());
    record.addCounter(
        info("HandshakesFailed", "Connections that came to nothing for the sake of TLS"),
        plane.handshakesFailed());
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
            info("VolumesReserved", "Those whose devices refuse the writes of other hosts"),
            reserved(volumes, true))
        .addGauge(
            info("VolumesUnreserved", "Those whose devices should, and do not"),
            reserved(volumes, false))
        .addGauge(
            info("VolumesRefused", "Storage directories on which none can"),
            volumes.stream().filter(volume -> volume.refusal() != null).count());
  }

  /** Volumes whose devices are to be reserved and are, or are not. */
  private static long reserved(List<VolumeStatus> volumes, boolean held) {
    return volumes.stream()
        .map(VolumeStatus::fence)
        .filter(fence -> fence != null && fence.held() == held)
        .count();
  }

  private static void addDone(MetricsRecordBuilder record, GrantCounters counters) {
    record
        .addCounter(info("Grants", "Leases granted"), counters.grants())
        .addCounter(info("PinsMade", "Grants that had to pin the block first"), counters.pinsMade())
        .addCounter(info("Renewals", "Leases renewed"), counters.renewals())
        .addCounter(info("Recalls", "Leases recalled"), counters.recalls())
        .addCounter(
            info("ChangedUnpinned", "Appends and truncates whose block was given back in time"),
            counters.changedUnpinned())
        .addCounter(
            info("ChangedPinned", "Appends and truncates whose block stayed pinned over the wait"),
            counters.changedPinned())
        .addGauge(
            info("GrantMicrosP50", "Median duration of a grant request, upper bound"),
            counters.latency().percentileMicros(0.5))
        .addGauge(
            info("GrantMicrosP99", "99th percentile of it"),
            counters.latency().percentileMicros(0.99));
    record
        .addCounter(
            info("Sweeps", "Looks at all that is pinned, done to the end"), counters.sweeps())
        .addCounter(
            info("Failures", "Failures that should not be, each with its trace in the log"),
            counters.failures())
        .tag(
            info("LastFailure", "The last of them, empty if there was none"),
            tagText(counters.lastFailure()));
    for (FallbackReason reason : FallbackReason.values()) {
      long refused = counters.refusals(reason);
      if (refused > 0) {
        record.addCounter(info("Refused_" + reason, "Refused: " + reason.text()), refused);
      }
    }
  }

  /**
   * A text for a tag. Hadoop writes tags into /prom as they are: one quotation mark, as exceptions
   * have them in their messages, and Prometheus takes nothing of the DataNode's page.
   */
  private static String tagText(String text) {
    return text.replace('"', '\'').replace('\\', '/').replaceAll("\\R", " ");
  }

  private static MetricsInfo info(String name, String description) {
    return Interns.info(name, description);
  }
}
