// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.papers.CommandPart.Bounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the RDIO paper's figures are of, but for whole files: {@link ObjectParts}. */
final class RdioParts {
  static final String STOCK_HDFS = "stock HDFS";
  static final String RDIO = "RDIO";
  static final String BY_AGENT = "RDIO by the agent, writes too";
  static final String OPTIMAL = "optimal: local files of the same device";
  static final String RAW = "the raw device";

  /** YCSB's workloads, in the paper's order. */
  static final List<String> WORKLOADS = List.of("LOAD", "A", "B", "C", "D", "F");

  static final String WRITTEN = "what of the agent's writes went by RDIO";
  static final String DEAD = "throughput of erasure-coded files";
  static final String WRITE_THROUGHPUT = "write throughput";
  static final String WRITE_LATENCY = "write latency, median";
  static final String WRITE_CPU = "CPU of client, agent and DataNodes, writes";
  static final String WRITE_DATANODE_CPU = "CPU of the DataNodes, writes";
  static final String WRITE_TRAFFIC = "bytes over loopback for each byte written";
  static final String STOCK_WRITES = "stock HDFS, × 1";
  static final String RDIO_WRITES = "RDIO by the agent, × 1";
  static final String STOCK_WRITES_3 = "stock HDFS, × 3";
  static final String RDIO_WRITES_3 = "RDIO by the agent, × 3";

  /** What lines of writes end with. */
  private static final List<String> REPLICAS = List.of(", × 1", ", × 3");

  /** Files of which DataNodes are killed. */
  static final Part RESILIENCE =
      CommandPart.json(
          "resilience",
          "resilience",
          "resilience --objects 4 --rounds 3",
          new Bounds(200, 125),
          (json, printed) -> new Measured(List.of(resilience(json))));

  /** YCSB. */
  static final Part RECORDS =
      CommandPart.json(
          "records",
          "records --seconds 1",
          "records --records 64 --threads 16 --rounds 1 --seconds 0.7",
          new Bounds(720, 90),
          (json, printed) -> records(json));

  /**
   * YCSB whose writes are RDIO's, too: fewer points and shorter passes, for slots are made between
   * them.
   */
  static final Part RECORDS_WRITTEN =
      CommandPart.json(
          "records-written",
          "records --workloads load,A,B,D,F --threads 16,64 --seconds 0.7 --pool 512m",
          "",
          new Bounds(1000, 0),
          (json, printed) -> records(json));

  /** Objects that are written; the one large file that there has to be is small, and not shown. */
  static final Part WRITES =
      CommandPart.json(
              "writes",
              "write --replication 1,3 --fit --size 16m --arrays 1m"
                  + " --sizes 4k,32k,256k,1m,16m,128m --rounds 3 --seconds 1"
                  + " --warm-up 64 --warm-up-max 15",
              "write --replication 1 --fit --size 8m --arrays 1m --sizes 1m --block-size 8m"
                  + " --pool 64m --rounds 1 --seconds 0.5",
              new Bounds(1150, 55),
              (json, printed) -> writes(json))
          .unless(RdioParts::noWrites);

  /** By the names that JSON has. */
  private static final Map<String, String> WAYS =
      new TreeMap<>(
          Map.of(
              "stock", STOCK_HDFS, "rdio", RDIO, "agent", BY_AGENT, "local", OPTIMAL, "raw", RAW));

  private static final Map<String, String> WRITERS =
      new TreeMap<>(Map.of("stock", STOCK_HDFS, "agent", "RDIO by the agent"));

  private static final double MICROS_PER_MILLI = 1e3;

  private RdioParts() {}

  /** The command's class is not in every checkout. */
  private static String noWrites() {
    boolean there = RdioParts.class.getResource("/io/rdio/bench/write/WriteCommand.class") != null;
    return there ? "" : "there is no command 'bench write' here yet";
  }

  /** Title of a panel. */
  static String operations(String workload) {
    return "operations, workload " + workload;
  }

  /** Title of a panel. */
  static String latency(String workload) {
    return "latency, median, workload " + workload;
  }

  /** Titles of panels: of each way and number of replicas. */
  static String[] writePhases() {
    return REPLICAS.stream()
        .flatMap(replicas -> WRITERS.values().stream().map(name -> phases(name + replicas)))
        .toArray(String[]::new);
  }

  private static String phases(String line) {
    return "write latency by phase, " + line;
  }

  private static Measured records(Map<?, ?> json) {
    List<Panel> panels = new ArrayList<>();
    Panel.Builder written = Panel.of(WRITTEN, "threads", "share");
    for (String workload : WORKLOADS) {
      Panel.Builder operations = Panel.of(operations(workload), "threads", "operations/s");
      Panel.Builder latency = Panel.of(latency(workload), "threads", "µs");
      for (Map<?, ?> point : Json.objects(json, "points")) {
        if (Json.text(point, "workload").equals(workload)) {
          String threads = Json.text(point, "threads");
          WAYS.forEach(
              (way, line) -> {
                operations.add(line, threads, Json.median(point, way, "reads_per_s"));
                latency.add(line, threads, Json.median(point, way, "p50_us"));
              });
          written.add("workload " + workload, threads, Json.number(point, "agent_share_written"));
        }
      }
      panels.add(operations.build());
      panels.add(latency.build());
    }
    panels.add(written.build());
    return new Measured(panels);
  }

  private static Measured writes(Map<?, ?> json) {
    List<Map<?, ?>> objects =
        Json.objects(json, "loads").stream()
            .filter(load -> Json.text(load, "load").equals("objects"))
            .toList();
    List<Panel> panels = new ArrayList<>();
    for (String replicas : REPLICAS) {
      List<Map<?, ?>> its =
          objects.stream().filter(load -> replicas(load).equals(replicas)).toList();
      WRITERS.forEach((way, name) -> panels.add(PhasePanels.of(phases(name + replicas), its, way)));
    }
    panels.addAll(
        List.of(
            writes(objects, WRITE_THROUGHPUT, "MB/s", 1, "mbps"),
            writes(objects, WRITE_LATENCY, "ms", MICROS_PER_MILLI, "p50_us"),
            writes(
                objects,
                WRITE_CPU,
                "s/GB",
                1,
                "client_cpu_s_per_gb",
                "agent_cpu_s_per_gb",
                "datanode_cpu_s_per_gb"),
            writes(objects, WRITE_DATANODE_CPU, "s/GB", 1, "datanode_cpu_s_per_gb"),
            writes(objects, WRITE_TRAFFIC, "B/B", 1, "loopback_bytes_per_byte")));
    return new Measured(panels.stream().filter(panel -> !panel.lines().isEmpty()).toList());
  }

  private static String replicas(Map<?, ?> load) {
    return ", × " + Json.text(load, "replication");
  }

  /** The sum of figures, by size, way and number of replicas. */
  private static Panel writes(
      List<Map<?, ?>> objects, String title, String unit, double divisor, String... figures) {
    Panel.Builder panel = Panel.of(title, "object size", unit);
    for (Map<?, ?> load : objects) {
      String size = Sizes.label((long) Json.number(load, "file_bytes"));
      WRITERS.forEach(
          (way, name) -> {
            double sum = 0;
            for (String figure : figures) {
              sum += Json.median(load, way, figure);
            }
            panel.add(name + replicas(load), size, sum / divisor);
          });
    }
    return panel.build();
  }

  private static Panel resilience(Map<?, ?> json) {
    Panel.Builder panel = Panel.of(DEAD, "DataNodes dead, of 5", "MB/s; 0: the read fails");
    for (Map<?, ?> point : Json.objects(json, "points")) {
      String dead = Json.text(point, "dead");
      Json.object(point, "ways")
          .forEach(
              (way, figures) ->
                  panel.add((String) way, dead, Json.number((Map<?, ?>) figures, "mbps")));
    }
    return panel.build();
  }
}
