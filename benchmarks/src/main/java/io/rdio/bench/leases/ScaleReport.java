// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.bench.leases.ClusterSimulation.Phase;
import io.rdio.bench.leases.ClusterSimulation.Second;
import io.rdio.bench.report.Grid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What clusters of several sizes came to, the smallest first: a column each, and their growth. */
final class ScaleReport {
  private static final double NANOS = 1e9;
  private static final double MICROS = 1e3;
  private static final double PERCENT = 100;
  private static final double MEBI = 1 << 20;
  private static final double KILO = 1e3;

  /** The kinds of a host's work by which it keeps leases; no reader waits for it. */
  private static final List<String> UPKEEP = List.of("tend", "Renew", "Return", "Recalls");

  private final List<String> head = new ArrayList<>(List.of(""));
  private final Map<String, List<String>> rows = new LinkedHashMap<>();
  private final Map<String, Growth> growths = new LinkedHashMap<>();
  private final Map<String, List<String>> unitCosts = new LinkedHashMap<>();
  private String curve = "";

  /**
   * What one cluster went through.
   *
   * @param coming until all had their maps
   * @param steady while clients read and changed
   * @param storm after a rack had come back
   */
  record Result(ClusterLoad load, Phase coming, Phase steady, Phase storm) {}

  /** Adds a cluster, before it is closed. */
  void add(Result result, ClusterSimulation cluster) {
    ClusterLoad load = result.load();
    head.add(Grid.cell("%,d × %,d", load.dataNodes(), load.clients()));
    addDataNode(result, cluster);
    addHost(result, cluster);
    addStorm(result, cluster);
    addGrowth(result);
  }

  private void addDataNode(Result result, ClusterSimulation cluster) {
    Phase steady = result.steady();
    Costs costs = steady.dataNodes();
    double nodes = result.load().fullDataNodes();
    double seconds = nodes * steady.seconds().size();
    row("DataNode: leases", "%,.0f", steady.sum(Second::leases) / seconds);
    row("DataNode: heap of leases and pins, MiB", "%.1f", cluster.heapOfDataNode() / MEBI);
    row("DataNode: CPU until all had come, s", "%.2f", cpu(result.coming().dataNodes()) / nodes);
    row("DataNode: grants a second", "%,.1f", costs.of("Grant").units() / seconds);
    row("DataNode: renewals a second", "%,.1f", costs.of("Renew").units() / seconds);
    row("DataNode: recalls a second", "%,.1f", costs.of("recall").units() / seconds);
    row("DataNode: calls a second", "%,.1f", calls(costs) / seconds);
    row("DataNode: kB a second", "%,.1f", costs.sum().bytes() / KILO / seconds);
    row("DataNode: CPU, % of a core", "%.2f", cpu(costs) / seconds * PERCENT);
  }

  /** Seconds. */
  private static double cpu(Costs costs) {
    return costs.sum().nanos() / NANOS;
  }

  /** Those of clients. */
  private static long calls(Costs costs) {
    return costs.sum().calls() - costs.of("upkeep").calls() - costs.of("recall").calls();
  }

  private void addHost(Result result, ClusterSimulation cluster) {
    Phase steady = result.steady();
    Costs costs = steady.hosts();
    double seconds = (double) result.load().fullHosts() * steady.seconds().size();
    row("host: leases of all DataNodes", "%,.0f", steady.sum(Second::maps) / seconds);
    row("host: heap of maps, MiB", "%.1f", cluster.heapOfHost() / MEBI);
    row("host: maps loaded a second", "%,.1f", costs.of("load").units() / seconds);
    row("host: renewals a second", "%,.1f", costs.of("Renew").units() / seconds);
    row("host: recalls a second", "%,.2f", costs.of("recall").units() / seconds);
    row("host: wakes a second", "%,.2f", costs.of("tend").calls() / seconds);
    row("host: kB a second", "%,.1f", costs.sum().bytes() / KILO / seconds);
    row("host: CPU for leases, % of a core", "%.3f", upkeep(costs) / seconds * PERCENT);
    double loads = costs.of("load").nanos() / NANOS;
    row("host: CPU for loads, % of a core", "%.3f", loads / seconds * PERCENT);
    row("hosts: reads left to stock HDFS", "%,d", cluster.refusals());
    row("NameNode: locations asked for", "%,d", cluster.locatorQuestions());
    row("NameNode: calls added", "%,d", cluster.nameNodeCalls());
  }

  /** Seconds of CPU for what is not waited for. */
  private static double upkeep(Costs costs) {
    return UPKEEP.stream().mapToLong(kind -> costs.of(kind).nanos()).sum() / NANOS;
  }

  private void addStorm(Result result, ClusterSimulation cluster) {
    Phase storm = result.storm();
    Costs costs = storm.dataNodes();
    int nodes = result.load().fullDataNodes();
    int wanted = storm.seconds().get(0).missing();
    Second peak = peak(storm);
    row("storm: grants of a DataNode", "%,d", costs.of("Grant").units() / nodes);
    row("storm: most of them in a second", "%,d", peak.grants());
    row("storm: in second", "%,d", storm.seconds().indexOf(peak) + 1);
    row("storm: half are back after, s", "%,d", storm.until(wanted / 2));
    row("storm: 99% are back after, s", "%,d", storm.until(wanted / 100));
    row("storm: all are back after, s", "%,d", storm.seconds().size());
    row("storm: never back", "%,d", missing(storm));
    row("storm: refused as busy, to come again", "%,d", storm.refusedAsBusy());
    row("storm: CPU of a DataNode, s", "%.2f", cpu(costs) / nodes);
    long loads = storm.sum(Second::loads) / result.load().fullHosts();
    row("storm: maps that a host loaded", "%,d", loads);
    row("leases lost", "%,d", cluster.lost());
    curve =
        "Grants of the busiest DataNode in each second after its rack came back, in the last"
            + " column's cluster:"
            + storm.seconds().stream()
                .map(second -> Grid.cell(" %,d", second.grants()))
                .collect(Collectors.joining());
  }

  private static Second peak(Phase storm) {
    Second peak = storm.seconds().get(0);
    for (Second second : storm.seconds()) {
      peak = second.grants() > peak.grants() ? second : peak;
    }
    return peak;
  }

  /** Maps that were not back at the end. */
  static int missing(Phase phase) {
    return phase.seconds().get(phase.seconds().size() - 1).missing();
  }

  private void addGrowth(Result result) {
    Costs coming = result.coming().dataNodes();
    Costs dataNodes = result.steady().dataNodes();
    Costs hosts = result.steady().hosts();
    grow("DataNode: first grants, a lease", coming.of("Grant"));
    grow("DataNode: renewals, a lease", dataNodes.of("Renew"));
    grow("DataNode: recalls, a lease", dataNodes.of("recall"));
    grow("DataNode: upkeep, a lease and second", dataNodes.of("upkeep"));
    grow("DataNode: storm, a lease", result.storm().dataNodes().of("Grant"));
    grow("host: loads, a map", result.coming().hosts().of("load"));
    grow("host: answers to renewals, a lease", hosts.of("Renew"));
    Cost tend = hosts.of("tend");
    long held = result.steady().sum(Second::maps);
    grow("host: upkeep, a lease and second", new Cost(tend.calls(), held, tend.nanos(), 0));
  }

  private void grow(String what, Cost cost) {
    growths
        .computeIfAbsent(what, any -> new Growth())
        .add((double) cost.units(), (double) cost.nanos());
    unitCosts
        .computeIfAbsent(what, any -> new ArrayList<>())
        .add(Grid.cell("%,.3f", cost.nanosEach() / MICROS));
  }

  /** What each cluster came to. */
  Grid figures() {
    return new Grid(head, cells(rows));
  }

  /** How the last of them came back after the outage. */
  String curve() {
    return Grid.wrapped(curve);
  }

  /** What a unit of each kind of work costs in each cluster, and how that grows. */
  Grid growth() {
    List<String> columns = new ArrayList<>(head);
    columns.set(0, "µs of CPU for");
    columns.add("cost ~ work to the");
    columns.add("");
    List<List<String>> marked = new ArrayList<>();
    for (List<String> row : cells(unitCosts)) {
      Growth growth = growths.getOrDefault(row.get(0), new Growth());
      List<String> all = new ArrayList<>(row);
      all.add(Grid.cell("%.2f", growth.exponent()));
      all.add(growth.isSuperlinear() ? "SUPERLINEAR" : "");
      marked.add(all);
    }
    return new Grid(columns, marked);
  }

  private static List<List<String>> cells(Map<String, List<String>> rows) {
    List<List<String>> cells = new ArrayList<>();
    rows.forEach(
        (name, values) -> {
          List<String> row = new ArrayList<>(List.of(name));
          row.addAll(values);
          cells.add(row);
        });
    return cells;
  }

  private void row(String name, String format, Object value) {
    rows.computeIfAbsent(name, any -> new ArrayList<>()).add(Grid.cell(format, value));
  }
}
