// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.TlsConfigKeys;
import io.rdio.hdfs.client.namenode.UnlistedBlocks;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * Whether DataNodes are there, found out by a process that has loaded nothing yet to ask them
 * properly. Their plugins' port has to be connected to, and to say something to who begins to speak
 * HTTP/2, as gRPC does. With TLS, and where each DataNode has a port of its own, a connection to
 * the DataNode has to do. Thread-safe.
 */
final class DataNodePulse {
  /** How long an answer is as good as one of now. */
  static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What a client says first, RFC 9113, section 3.4: a fixed text, and settings, here none. */
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  private static final byte[] NO_SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};

  private final int pluginPort;
  private final boolean useHostname;
  private final int timeoutMillis;
  private final LongSupplier nanos;

  /** When each answered last; as many as the cluster has, at most. */
  private final Map<String, Long> answered = new ConcurrentHashMap<>();

  /**
   * @param pluginPort on which plugins speak plain text; 0 if there is none
   * @param useHostname whether they are reached by name
   * @param timeout of each step
   * @param nanos as {@link System#nanoTime}
   */
  DataNodePulse(int pluginPort, boolean useHostname, Duration timeout, LongSupplier nanos) {
    this.pluginPort = pluginPort;
    this.useHostname = useHostname;
    this.timeoutMillis = (int) Math.max(1, timeout.toMillis());
    this.nanos = nanos;
  }

  /** As a configuration's clients reach them. */
  static DataNodePulse of(Configuration conf, Duration timeout) {
    boolean plain = RdioConfigKeys.CLIENT_TLS.mode().get(conf).equals(TlsConfigKeys.OFF);
    return new DataNodePulse(
        plain ? RdioConfigKeys.CLIENT_DATANODE_PORT.get(conf) : 0,
        conf.getBoolean(
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME,
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME_DEFAULT),
        timeout,
        System::nanoTime);
  }

  /** Whether any DataNode of a block does not answer, or there is none. */
  boolean isMissed(LocatedBlock block) {
    for (DatanodeInfo dataNode : block.getLocations()) {
      if (!answers(dataNode)) {
        return true;
      }
    }
    return block.getLocations().length == 0;
  }

  private boolean answers(DatanodeInfo dataNode) {
    if (UnlistedBlocks.isMadeUp(dataNode)) {
      return false;
    }
    String name = dataNode.getXferAddr(useHostname);
    Long last = answered.get(name);
    if (last != null && nanos.getAsLong() - last < FRESH_NANOS) {
      return true;
    }
    boolean answers = asked(dataNode);
    if (answers) {
      answered.put(name, nanos.getAsLong());
    }
    return answers;
  }

  private boolean asked(DatanodeInfo dataNode) {
    String host = useHostname ? dataNode.getHostName() : dataNode.getIpAddr();
    int port = pluginPort == 0 ? dataNode.getXferPort() : pluginPort;
    try (Socket socket = new Socket(Proxy.NO_PROXY)) {
      socket.connect(new InetSocketAddress(host, port), timeoutMillis);
      return pluginPort == 0 || saysSomething(socket);
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether it answers; an end of the connection is an answer, too. */
  private boolean saysSomething(Socket socket) {
    try {
      socket.setSoTimeout(timeoutMillis);
      socket.getOutputStream().write(PREFACE.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(NO_SETTINGS);
      socket.getInputStream().read();
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
