// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.client.plane.DataNodeId;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.util.JsonSerialization;

/** A DataNode's /jmx page. */
final class JmxPage {
  private static final int TIMEOUT_MILLIS = 5000;
  private static final int MAX_BYTES = 1 << 20;

  private JmxPage() {}

  /**
   * RDIO's metrics of a DataNode. Waits at most some seconds.
   *
   * @throws IOException if the page, or RDIO's metrics on it, is not to be had; says what to do
   */
  static Map<String, Object> rdioMetrics(DatanodeInfo dataNode, boolean useHostname)
      throws IOException {
    String host = useHostname ? dataNode.getHostName() : dataNode.getIpAddr();
    if (dataNode.getInfoPort() == 0) {
      throw new IOException(
          "it has no web server without TLS (dfs.http.policy); fix: ask its /jmx page for"
              + " RdioDataNode by hand");
    }
    String url =
        "http://"
            + new DataNodeId(host, dataNode.getXferPort(), dataNode.getInfoPort())
                .withPort(dataNode.getInfoPort())
            + "/jmx?qry=Hadoop:name=RdioDataNode-"
            + dataNode.getXferPort()
            + ",*";
    Map<?, ?> answer;
    try {
      answer = new JsonSerialization<>(Map.class, false, false).fromJson(get(url));
    } catch (IOException e) {
      throw new IOException(
          url
              + ": "
              + e
              + "; fix: check dfs.datanode.http.address and the firewall, and who may see the page",
          e);
    }
    if (answer.get("beans") instanceof List<?> beans
        && !beans.isEmpty()
        && beans.get(0) instanceof Map<?, ?> bean) {
      @SuppressWarnings("unchecked") // a JSON object's keys are strings
      Map<String, Object> metrics = (Map<String, Object>) bean;
      return metrics;
    }
    throw new IOException(
        url
            + " shows no RDIO plugin; fix: set dfs.datanode.plugins to"
            + " io.rdio.hdfs.datanode.RdioDataNodePlugin there and restart it");
  }

  private static String get(String url) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(url).toURL().openConnection(Proxy.NO_PROXY);
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    try (InputStream body = connection.getInputStream()) {
      return new String(body.readNBytes(MAX_BYTES), UTF_8);
    } finally {
      connection.disconnect();
    }
  }
}
