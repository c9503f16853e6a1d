// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.grant.EndpointResolver;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The metadata plane's port on each DataNode: the configured one, or with port 0 the one that the
 * DataNode publishes in its {@code /jmx} page, asked for once. One that was forgotten is asked for
 * again, and holds as before where nobody says another one: the page may be as silent as the port
 * was for a moment, and leases must be renewed meanwhile. Thread-safe.
 */
final class DataNodePorts implements EndpointResolver {
  /** Name of the gauge, in the metrics source {@code RdioDataNode-<transfer port>}. */
  static final String PORT_GAUGE = "MetadataPlanePort";

  private static final int MAX_REPLY_BYTES = 64 << 10;
  private static final Pattern PORT =
      Pattern.compile("\"" + PORT_GAUGE + "\"\\s*:\\s*(\\d{1,5})\\b");

  private final int configured;
  private final int timeoutMillis;
  private final Cache<DataNodeId, String> endpoints;

  /** Those that were forgotten last. */
  private final Cache<DataNodeId, String> last;

  private final Cache<DataNodeId, FallbackException> failures;

  DataNodePorts(int configured, Duration timeout, Duration backOff) {
    this.configured = configured;
    this.timeoutMillis = (int) Math.max(1, timeout.toMillis());
    this.endpoints = Caffeine.newBuilder().maximumSize(10_000).build();
    this.last = Caffeine.newBuilder().maximumSize(10_000).build();
    this.failures = Caffeine.newBuilder().maximumSize(10_000).expireAfterWrite(backOff).build();
  }

  @Override
  public String endpoint(DataNodeId dataNode) throws FallbackException {
    if (configured != 0) {
      return dataNode.withPort(configured);
    }
    @Nullable FallbackException[] mine = new FallbackException[1];
    // One question at a time for each DataNode; readers of others are not held up.
    String endpoint = endpoints.get(dataNode, id -> askUnlessFailed(id, mine));
    if (endpoint != null) {
      return endpoint;
    }
    FallbackException failure = mine[0] != null ? mine[0] : failures.getIfPresent(dataNode);
    throw failure != null
        ? failure
        : unreachable(dataNode, "its metadata plane's port is not known", null);
  }

  @Override
  public void forget(DataNodeId dataNode) {
    String known = endpoints.getIfPresent(dataNode);
    if (known != null) {
      last.put(dataNode, known);
    }
    endpoints.invalidate(dataNode);
  }

  private @Nullable String askUnlessFailed(
      DataNodeId dataNode, @Nullable FallbackException[] failure) {
    String before = last.getIfPresent(dataNode);
    if (failures.getIfPresent(dataNode) != null) {
      return before;
    }
    try {
      return dataNode.withPort(ask(dataNode));
    } catch (FallbackException e) {
      // Also where another one is known: or each call would wait for the page anew.
      failures.put(
          dataNode, new FallbackException(FallbackReason.METADATA_PLANE_BACKOFF, e.detail(), e));
      if (before == null) {
        failure[0] = e;
      }
      return before;
    }
  }

  private int ask(DataNodeId dataNode) throws FallbackException {
    if (dataNode.infoPort() == 0) {
      throw unreachable(dataNode, "it has no web server without TLS to ask for the port", null);
    }
    String url =
        "http://"
            + dataNode.withPort(dataNode.infoPort())
            + "/jmx?qry=Hadoop:name=RdioDataNode-"
            + dataNode.transferPort()
            + ",*";
    try {
      HttpURLConnection connection =
          (HttpURLConnection) URI.create(url).toURL().openConnection(Proxy.NO_PROXY);
      connection.setConnectTimeout(timeoutMillis);
      connection.setReadTimeout(timeoutMillis);
      connection.setInstanceFollowRedirects(false);
      try (InputStream body = connection.getInputStream()) {
        String text = new String(body.readNBytes(MAX_REPLY_BYTES), StandardCharsets.UTF_8);
        Matcher port = PORT.matcher(text);
        if (port.find()) {
          int number = Integer.parseInt(port.group(1));
          if (number > 0 && number < 65536) {
            return number;
          }
        }
        throw unreachable(dataNode, url + " shows no " + PORT_GAUGE, null);
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      throw unreachable(dataNode, url + ": " + e, e);
    }
  }

  private static FallbackException unreachable(
      DataNodeId dataNode, String what, @Nullable Throwable cause) {
    return new FallbackException(
        FallbackReason.METADATA_PLANE_UNREACHABLE,
        "DataNode "
            + dataNode
            + ": "
            + what
            + "; or set "
            + RdioConfigKeys.CLIENT_DATANODE_PORT.name()
            + " to the plugins' fixed port",
        cause);
  }
}
