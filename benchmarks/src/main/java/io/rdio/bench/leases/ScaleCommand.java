// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.leases.ScaleSimulation.Load;
import io.rdio.bench.leases.ScaleSimulation.Work;
import io.rdio.bench.report.Grid;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
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
      "Simulates the leases of a cluster that is larger than any machine here: one of its DataNodes"
          + " by the grant service itself with a clock that is moved on by hand, the clients as"
          + " lists of leases, no network. Renewals, changes, deletions, and all clients coming"
          + " back at once after the rack was away.",
      "DataNodes have nothing to do with each other, so that one stands for all."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class ScaleCommand implements Callable<Integer> {
  private static final double NANOS = 1e9;
  private static final double PERCENT = 100;
  private static final double MEBI = 1 << 20;

  @Option(
      names = "--clients",
      split = ",",
      paramLabel = "N",
      description = "Clients, a simulation each. Default: ${DEFAULT-VALUE}.")
  private List<Integer> clients = List.of(1_000, 10_000);

  @Option(
      names = "--datanodes",
      paramLabel = "N",
      description = "DataNodes, for what a client has of all. Default: ${DEFAULT-VALUE}.")
  private int dataNodes = 1_000;

  @Option(
      names = "--blocks",
      paramLabel = "N",
      description = "Blocks of a DataNode. Default: ${DEFAULT-VALUE}.")
  private int blocks = 4_000_000;

  @Option(
      names = "--maps",
      paramLabel = "N",
      description = "Maps that a client has of a DataNode. Default: ${DEFAULT-VALUE}.")
  private int maps = 20;

  @Option(
      names = "--changes",
      paramLabel = "N",
      description =
          "Maps that clients take and return in a second, of a DataNode. Default:"
              + " ${DEFAULT-VALUE}.")
  private int changes = 100;

  @Option(
      names = "--deletions",
      paramLabel = "N",
      description = "Leased blocks that are deleted in a second. Default: ${DEFAULT-VALUE}.")
  private int deletions = 5;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Simulated seconds between coming and outage. Default: ${DEFAULT-VALUE}.")
  private int seconds = 120;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try {
      clients.forEach(count -> Checks.requireOneOrMore("--clients", count));
      Checks.requireOneOrMore("--datanodes", dataNodes);
      Checks.requireOneOrMore("--blocks", blocks);
      Checks.requireOneOrMore("--maps", maps);
      Checks.requireOneOrMore("--seconds", seconds);
      if (changes < 0 || deletions < 0) {
        throw new IllegalArgumentException("--changes and --deletions must not be negative");
      }
      if (maps > blocks / 2) {
        throw new IllegalArgumentException(
            "--maps " + maps + ": more than half of --blocks " + blocks);
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    PrintWriter out = spec.commandLine().getOut();
    Map<String, List<String>> rows = new LinkedHashMap<>();
    long lost = 0;
    for (int count : clients) {
      lost += simulate(count, rows);
    }
    List<String> head = new ArrayList<>(List.of("one DataNode"));
    clients.forEach(count -> head.add(Grid.cell("%,d clients", count)));
    List<List<String>> cells = new ArrayList<>();
    rows.forEach(
        (name, values) -> {
          List<String> row = new ArrayList<>(List.of(name));
          row.addAll(values);
          cells.add(row);
        });
    out.println(new Grid(head, cells).text());
    out.print(Grid.wrapped(note()));
    out.flush();
    return lost == 0 ? 0 : 1;
  }

  private String note() {
    return Grid.cell(
        "%d DataNodes of %,d blocks; a client has %,d maps in all. CPU is of the grant service's"
            + " own work with its links of files, without gRPC, proofs and TLS. Bytes are of the"
            + " messages without framing. Whatever a client asks is between it and a DataNode: the"
            + " NameNode is asked nothing.",
        dataNodes, blocks, (long) maps * dataNodes);
  }

  /** Returns the leases that clients took for good and the DataNode did not renew. */
  private long simulate(int count, Map<String, List<String>> rows) throws IOException {
    try (ScaleSimulation one =
        new ScaleSimulation(new Load(count, blocks, maps, changes, deletions))) {
      Work coming = one.fill();
      add(rows, "all come: leases", "%,d", coming.count());
      add(rows, "all come: CPU, s", "%.2f", coming.cpuNanos() / NANOS);
      add(rows, "all come: µs a lease", "%.1f", coming.nanosEach() / 1e3);
      add(rows, "heap of leases and pins, MiB", "%.1f", one.heapBytes() / MEBI);
      one.goOn(seconds);
      add(rows, "renewals a second", "%,d", one.renewals().count() / seconds);
      add(rows, "renewals: ns a lease", "%.0f", one.renewals().nanosEach());
      add(rows, "renewals: kB a second", "%.1f", one.renewalBytes() / 1e3 / seconds);
      add(rows, "grants a second", "%,d", (one.grants().count() - coming.count()) / seconds);
      add(rows, "returns: µs a lease", "%.1f", one.returns().nanosEach() / 1e3);
      add(rows, "recalls a second", "%,d", one.recalls().count() / seconds);
      add(rows, "recalls: µs a lease", "%.1f", one.recalls().nanosEach() / 1e3);
      add(rows, "upkeep: ms a second", "%.2f", one.upkeep().nanosEach() / 1e6);
      add(rows, "steady CPU, % of a core", "%.2f", steady(one, coming) * PERCENT);
      Work storm = one.storm();
      add(rows, "rack comes back: leases", "%,d", storm.count());
      add(rows, "rack comes back: CPU, s", "%.2f", storm.cpuNanos() / NANOS);
      add(rows, "rack comes back: µs a lease", "%.1f", storm.nanosEach() / 1e3);
      add(rows, "leases lost", "%,d", one.lost());
      return one.lost();
    }
  }

  /** Of all simulated seconds between coming and outage. */
  private double steady(ScaleSimulation one, Work coming) {
    double nanos =
        (double) one.renewals().cpuNanos()
            + one.returns().cpuNanos()
            + one.recalls().cpuNanos()
            + one.upkeep().cpuNanos()
            + one.grants().cpuNanos()
            - coming.cpuNanos();
    return nanos / NANOS / seconds;
  }

  private static void add(
      Map<String, List<String>> rows, String name, String format, Object value) {
    rows.computeIfAbsent(name, key -> new ArrayList<>()).add(Grid.cell(format, value));
  }
}
