// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.fault.DataNodeConf;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A DataNode whose host is gone, to all who ask: whatever is sent to its ports, or comes from them,
 * is dropped, so that who connects to it hears nothing. Until it is closed.
 */
final class DroppedPackets implements AutoCloseable {
  private static final List<String> ADDRESSES =
      List.of(
          "dfs.datanode.address",
          "dfs.datanode.ipc.address",
          "dfs.datanode.http.address",
          "dfs.datanode.rdio.address");

  private final String table;

  private DroppedPackets(String table) {
    this.table = table;
  }

  /** Skips where that is not to be had. */
  static void require() throws IOException {
    Requirements.requireTool("nft");
    String why = "";
    try {
      Command.run("nft", "list", "tables");
    } catch (IOException e) {
      why = e.getMessage();
    }
    Requirements.require(why.isEmpty(), "this kernel has no nftables: " + why);
  }

  /** Begins to drop those of a DataNode, counted from 0. */
  static DroppedPackets of(Cluster cluster, int dataNode) throws IOException {
    DataNodeConf conf = new DataNodeConf(cluster, dataNode);
    List<String> ports =
        ADDRESSES.stream()
            .map(conf::get)
            .map(address -> address.substring(address.lastIndexOf(':') + 1))
            .toList();
    String table = "inet rdio-dead-host-" + ports.get(0); // a port of one process on this machine
    String all = ports.stream().collect(Collectors.joining(", ", "{ ", " }"));
    Command.run(
        "nft",
        String.join(
            "; ",
            "add table " + table,
            "add chain " + table + " in { type filter hook input priority 0 ; }",
            "add rule " + table + " in tcp dport " + all + " drop",
            "add rule " + table + " in tcp sport " + all + " drop"));
    return new DroppedPackets(table);
  }

  @Override
  public void close() throws IOException {
    Command.run("nft", "delete table " + table);
  }
}
