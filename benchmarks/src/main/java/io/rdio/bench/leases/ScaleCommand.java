// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.leases.ScaleReport.Result;
import io.rdio.bench.report.Grid;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench scale}: its options, and what it prints. */
@Command(
    name = "scale",
    mixinStandardHelpOptions = true,
    description = {
      "Simulates the leases of a cluster that is larger than any machine here, on a clock that"
          + " jumps and without a network. Some DataNodes and some hosts are RDIO's own code: the"
          + " metadata plane with its bounds, grant service, lease table and pinner; FileMap cache,"
          + " sessions, renewals, recalls and back-off as an agent has them. They have the load of"
          + " the whole cluster; the other ends are stand-ins.",
      "All clients come; they renew, change, and see blocks deleted; a rack goes away for longer"
          + " than any lease and comes back. In clusters of several sizes, to see whether the cost"
          + " grows faster than the work."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class ScaleCommand implements Callable<Integer> {
  @Option(
      names = "--clients",
      paramLabel = "N",
      description =
          "Hosts in the cluster, each with an agent that reads from all DataNodes. Default:"
              + " ${DEFAULT-VALUE}.")
  private int clients = 10_000;

  @Option(
      names = "--datanodes",
      paramLabel = "N",
      description = "DataNodes in the cluster. Default: ${DEFAULT-VALUE}.")
  private int dataNodes = 1_000;

  @Option(
      names = "--blocks",
      paramLabel = "N",
      description = "Blocks of a DataNode. Default: ${DEFAULT-VALUE}.")
  private int blocks = 4_000_000;

  @Option(
      names = "--maps",
      paramLabel = "N",
      description =
          "Maps that a client has of a DataNode, in whole files of ten blocks. Default:"
              + " ${DEFAULT-VALUE}.")
  private int maps = 20;

  @Option(
      names = "--changes",
      paramLabel = "N",
      description =
          "Maps that clients take in place of others in a second, of a DataNode. Default:"
              + " ${DEFAULT-VALUE}.")
  private int changes = 100;

  @Option(
      names = "--deletions",
      paramLabel = "N",
      description =
          "Leased blocks that are deleted in a second on a DataNode. Default: ${DEFAULT-VALUE}.")
  private int deletions = 5;

  @Option(
      names = "--rack",
      paramLabel = "N",
      description = "DataNodes that go away together. Default: ${DEFAULT-VALUE}.")
  private int rack = 20;

  @Option(
      names = "--full-datanodes",
      paramLabel = "N",
      description =
          "DataNodes that are simulated in full; they are of that rack. Default: ${DEFAULT-VALUE}.")
  private int fullDataNodes = 2;

  @Option(
      names = "--full-hosts",
      paramLabel = "N",
      description = "Hosts that are simulated in full. Default: ${DEFAULT-VALUE}.")
  private int fullHosts = 2;

  @Option(
      names = "--grant-micros",
      paramLabel = "MICROS",
      description =
          "How long a request for grants takes one of a DataNode's eight threads, disks included;"
              + " not measured here. Default: ${DEFAULT-VALUE}.")
  private int grantMicros = 5_000;

  @Option(
      names = "--sizes",
      split = ",",
      paramLabel = "PART",
      description =
          "Parts of that cluster, a simulation each, the smallest first. Default:"
              + " ${DEFAULT-VALUE}.")
  private List<Double> sizes = List.of(0.25, 0.5, 1.0);

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Simulated seconds between coming and outage. Default: ${DEFAULT-VALUE}.")
  private int seconds = 120;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try {
      check();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    ClusterLoad whole =
        new ClusterLoad(
            dataNodes,
            clients,
            blocks,
            maps,
            changes,
            deletions,
            fullDataNodes,
            fullHosts,
            rack,
            TimeUnit.MICROSECONDS.toNanos(grantMicros));
    ScaleReport report = new ScaleReport();
    long wrong = 0;
    for (double size : sizes) {
      wrong += simulate(whole.part(size), report);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(report.figures().text());
    out.print(report.curve());
    out.println(report.growth().text());
    out.print(Grid.wrapped(note()));
    out.flush();
    return wrong == 0 ? 0 : 1;
  }

  private void check() {
    Checks.requireOneOrMore("--clients", clients);
    Checks.requireOneOrMore("--datanodes", dataNodes);
    Checks.requireOneOrMore("--blocks", blocks);
    Checks.requireOneOrMore("--maps", maps);
    Checks.requireOneOrMore("--full-datanodes", fullDataNodes);
    Checks.requireOneOrMore("--full-hosts", fullHosts);
    Checks.requireOneOrMore("--grant-micros", grantMicros);
    Checks.requireOneOrMore("--seconds", seconds);
    sizes.forEach(size -> Checks.requirePositive("--sizes", size));
    if (changes < 0 || deletions < 0) {
      throw new IllegalArgumentException("--changes and --deletions must not be negative");
    }
    if (maps > blocks / 2) {
      throw new IllegalArgumentException(
          "--maps " + maps + ": more than half of --blocks " + blocks);
    }
    if (rack < fullDataNodes || rack > dataNodes) {
      throw new IllegalArgumentException(
          "--rack " + rack + ": must be --full-datanodes or more, and --datanodes at most");
    }
    if (fullHosts >= clients) {
      throw new IllegalArgumentException("--full-hosts " + fullHosts + ": --clients must be more");
    }
  }

  /** Returns the leases and maps that should be there and are not, and NameNode calls. */
  private long simulate(ClusterLoad load, ScaleReport report) throws IOException {
    try (ClusterSimulation cluster = new ClusterSimulation(load)) {
      Result result = new Result(load, cluster.come(), cluster.goOn(seconds), cluster.storm());
      report.add(result, cluster);
      return cluster.lost() + cluster.nameNodeCalls() + ScaleReport.missing(result.storm());
    }
  }

  private String note() {
    return Grid.cell(
        "Columns are DataNodes × clients of a cluster. Figures are of one DataNode and one host:"
            + " the mean of %d and %d that are simulated in full, under the load that they have in"
            + " that cluster; nothing is scaled up. Their other ends are stand-ins: DataNodes that"
            + " grant whatever is asked, and clients that are lists of leases. CPU is of RDIO's own"
            + " code and of gRPC's stubs, with messages made and parsed, without sockets, TLS,"
            + " block tokens and HDFS. Bytes are of messages without framing. A request for grants"
            + " takes a thread of a DataNode %,d µs, as it was told. DataNodes have room for the"
            + " connections and the recall streams of all clients; in a cluster as large"
            + " dfs.datanode.rdio.connections.max and dfs.datanode.rdio.recall.streams.max have to"
            + " say so.",
        fullDataNodes, fullHosts, grantMicros);
  }
}
