// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataNodePortsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final List<String> queries = new CopyOnWriteArrayList<>();
  private final DataNodePorts ports = new DataNodePorts(0, TIMEOUT, Duration.ofMinutes(1));
  private HttpServer server;
  private DataNodeId dataNode;
  private volatile String body = "{\"beans\":[{\"MetadataPlanePort\" : 19860,\"PluginUp\":1}]}";

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/jmx",
        exchange -> {
          queries.add(exchange.getRequestURI().getQuery());
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    dataNode = new DataNodeId("127.0.0.1", 9866, server.getAddress().getPort());
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void aFixedPortAsksNobody() throws Exception {
    DataNodePorts fixed = new DataNodePorts(9860, TIMEOUT, TIMEOUT);
    assertThat(fixed.endpoint(new DataNodeId("10.0.0.1", 9866, 0))).isEqualTo("10.0.0.1:9860");
    assertThat(fixed.endpoint(new DataNodeId("fe80::1", 9866, 0))).isEqualTo("[fe80::1]:9860");
    assertThat(queries).isEmpty();
  }

  @Test
  void portZeroAsksTheDataNodeOnce() throws Exception {
    assertThat(ports.endpoint(dataNode)).isEqualTo("127.0.0.1:19860");
    assertThat(ports.endpoint(dataNode)).isEqualTo("127.0.0.1:19860");
    assertThat(queries).containsExactly("qry=Hadoop:name=RdioDataNode-9866,*");
  }

  @Test
  void aForgottenPortIsAskedForAgain() throws Exception {
    ports.endpoint(dataNode);
    body = "{\"MetadataPlanePort\":19999}";
    ports.forget(dataNode);
    assertThat(ports.endpoint(dataNode)).isEqualTo("127.0.0.1:19999");
  }

  /** As where a cable is out: leases are renewed as soon as it is back. */
  @Test
  void aForgottenPortHoldsWhileNobodySaysAnotherOne() throws Exception {
    ports.endpoint(dataNode);
    body = "";
    for (int i = 0; i < 3; i++) {
      ports.forget(dataNode);
      assertThat(ports.endpoint(dataNode)).isEqualTo("127.0.0.1:19860");
    }
    assertThat(queries).as("it is not asked anew at each call").hasSize(2);
  }

  @Test
  void aForgottenPortOfADeadWebServerHolds() throws Exception {
    ports.endpoint(dataNode);
    server.stop(0);
    ports.forget(dataNode);
    ports.forget(dataNode); // by another call that had failed
    assertThat(ports.endpoint(dataNode)).isEqualTo("127.0.0.1:19860");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{\"beans\":[]}",
        "{\"MetadataPlanePort\":0}",
        "{\"MetadataPlanePort\":123456}",
        "{\"MetadataPlanePort\":-1}"
      })
  void aDataNodeWithoutPluginIsAskedOnce(String answer) {
    body = answer;
    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
    assertThat(queries).hasSize(1);
  }

  @Test
  void aDeadWebServer() {
    server.stop(0);
    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
  }

  @Test
  void noWebServerWithoutTls() {
    dataNode = new DataNodeId("127.0.0.1", 9866, 0);
    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
  }

  private FallbackReason refusal() {
    return catchThrowableOfType(FallbackException.class, () -> ports.endpoint(dataNode)).reason();
  }
}
