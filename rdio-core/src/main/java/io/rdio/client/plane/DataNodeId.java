// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

/**
 * A DataNode as the NameNode names it.
 *
 * @param host address or name by which this client reaches it
 * @param transferPort of HDFS's own data transfer; tells DataNodes of one host apart
 * @param infoPort of its web server; 0 if it has none without TLS
 */
public record DataNodeId(String host, int transferPort, int infoPort) {
  /** The holder of a block for which the NameNode names no DataNode. */
  public static final DataNodeId NOBODY = new DataNodeId("", 0, 0);

  /** {@code host:port}, an IPv6 address in brackets. */
  public String withPort(int port) {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }

  @Override
  public String toString() {
    return equals(NOBODY) ? "no DataNode" : withPort(transferPort);
  }
}
