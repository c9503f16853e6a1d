// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.FallbackReason;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.MetadataServer;
import io.rdio.hdfs.datanode.write.WriteFigures;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.datanode.metrics.DataNodeMetrics;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.MetricsAnnotations;
import org.apache.hadoop.metrics2.sink.PrometheusMetricsSink;

/** What a DataNode with the plugin can show at {@code /prom}, as Hadoop itself writes it. */
public final class PromPage {
  private static final int CONNECTIONS = 8;

  private PromPage() {}

  /**
   * The page of a plugin that refused something for each reason, and of the DataNode itself.
   *
   * @param volume an empty folder
   */
  public static String text(Path volume) throws IOException {
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    askPlugin(collector, new GrantFixture(volume));
    MetricsAnnotations.makeSource(new DataNodeMetrics("", "", new int[0], null))
        .getMetrics(collector, true);
    PrometheusMetricsSink sink = new PrometheusMetricsSink();
    for (MetricsRecord record : collector.getRecords()) {
      sink.putMetrics(record);
    }
    sink.flush(); // it shows only what came before
    StringWriter page = new StringWriter();
    sink.writeMetrics(page);
    return page.toString();
  }

  private static void askPlugin(MetricsCollectorImpl collector, GrantFixture fixture)
      throws IOException {
    for (FallbackReason reason : FallbackReason.values()) {
      fixture.service.counters().refused(reason); // which is not shown before
    }
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (MetadataServer server = MetadataServer.start(anyPort, CONNECTIONS, fixture.service)) {
      new DataNodeMetricsSource().put(collector, server, fixture.service, null);
    }
    // By its public type: that of the implementation is visible in its own package only.
    MetricsRecordBuilder record = collector.addRecord("RdioDataNode");
    WriteFigures.addTo(record.setContext("dfs"));
  }
}
