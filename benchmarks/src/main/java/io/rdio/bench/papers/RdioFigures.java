// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.CommandPart.Bounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Figures of the RDIO paper. Its text was not to be had here, but for what abstracts say. */
final class RdioFigures {
  private static final String ABSTRACT =
      "the abstract (IEEE Micro 45(6), 2025, pages 16-23); figures by their numbers in the project's"
          + " issue";

  private static final String SAYS =
      "\"Rdio significantly improves performance by reducing remote data movement between nodes.\"";

  private static final String MINIO =
      "Stock HDFS stands in MinIO's place, one machine for three nodes, loopback for the network,"
          + " a loop device for NVMe-oF";

  private static final String NO_WRITES =
      "there is no command that measures writes yet: this needs 'bench write'";

  private static final String FAILS = "throughput of erasure-coded files";
  private static final String STOCK = "stock";
  private static final String COLD = "rdio 0 %";
  private static final String WARM = "rdio 100 %";

  /** RS-3-2: parity makes up for two. */
  private static final String PARITY = "2";

  private static final String BEYOND_PARITY = "3";

  static final Part RESILIENCE =
      CommandPart.json(
          "resilience",
          "resilience",
          "resilience --objects 4 --rounds 1",
          new Bounds(900, 120),
          (json, printed) -> new Measured(List.of(resilience(json))));

  /** YCSB's workloads, in the paper's order. */
  private static final List<String> WORKLOADS = List.of("LOAD", "A", "B", "C", "D", "F");

  private static final String STOCK_HDFS = "stock HDFS";
  private static final String RDIO = "RDIO";
  private static final String OPTIMAL = "optimal: the raw device";

  /** By the names that JSON has. */
  private static final Map<String, String> WAYS =
      new TreeMap<>(Map.of("stock", STOCK_HDFS, "rdio", RDIO, "raw", OPTIMAL));

  static final Part RECORDS =
      CommandPart.json(
          "records",
          "records",
          "records --records 64 --threads 16 --rounds 1 --seconds 1",
          new Bounds(1800, 95),
          (json, printed) -> records(json));

  private RdioFigures() {}

  static List<Figure> all() {
    return List.of(
        throughput(),
        latency(),
        missing("3c", "write throughput by object size"),
        missing("3d", "write latency by object size"),
        cpu(),
        traffic(),
        ycsb(),
        missing("5a", "deferred parity encoding by (k, r)"),
        parityFree());
  }

  private static Figure missing(String number, String title) {
    return Figure.of(Paper.RDIO, number, title, published()).cannotRun(NO_WRITES);
  }

  private static Published published() {
    return Published.plotOnly(ABSTRACT, SAYS);
  }

  private static Figure throughput() {
    Figure.Builder figure =
        Figure.of(
                Paper.RDIO,
                "3a",
                "read throughput by object size, with and without the FileMap cache",
                published())
            .shows(ObjectParts.GRANTS, ObjectParts.THROUGHPUT)
            .differs(MINIO);
    for (String size : List.of("1 MiB", "16 MiB")) {
      figure.expects(
          Check.that(
              "RDIO with maps cached reads more than stock HDFS, " + size,
              Check.atLeast(
                  Check.at(ObjectParts.THROUGHPUT, ObjectParts.CACHED, size),
                  1,
                  Check.at(ObjectParts.THROUGHPUT, ObjectParts.STOCK, size))));
    }
    return figure
        .expects(
            Check.that(
                "the FileMap cache pays for small objects",
                Check.atLeast(
                    Check.at(ObjectParts.THROUGHPUT, ObjectParts.CACHED, "4 KiB"),
                    1,
                    Check.at(ObjectParts.THROUGHPUT, ObjectParts.FRESH, "4 KiB"))))
        .build();
  }

  private static Figure latency() {
    Figure.Builder figure =
        Figure.of(
                Paper.RDIO,
                "3b",
                "read latency by object size, with and without the FileMap cache",
                published())
            .shows(ObjectParts.GRANTS, ObjectParts.MEDIAN, ObjectParts.NINETY_NINE)
            .differs(MINIO)
            .differs("Not broken down by phase: 'bench micro' has the steps of a warm read");
    for (String size : List.of("1 MiB", "16 MiB")) {
      figure.expects(
          Check.that(
              "RDIO with maps cached takes less than stock HDFS, " + size,
              Check.atLeast(
                  Check.at(ObjectParts.MEDIAN, ObjectParts.STOCK, size),
                  1,
                  Check.at(ObjectParts.MEDIAN, ObjectParts.CACHED, size))));
    }
    return figure
        .expects(
            Check.that(
                "a map that is not cached takes its time, 4 KiB",
                Check.atLeast(
                    Check.at(ObjectParts.MEDIAN, ObjectParts.FRESH, "4 KiB"),
                    1,
                    Check.at(ObjectParts.MEDIAN, ObjectParts.CACHED, "4 KiB"))))
        .build();
  }

  private static Figure cpu() {
    return Figure.of(Paper.RDIO, "3e", "CPU by object size, reads", published())
        .shows(ObjectParts.GRANTS, ObjectParts.CPU, ObjectParts.DATANODE_CPU)
        .expects(
            Check.that(
                "client and server together spend less by RDIO, 16 MiB",
                Check.atLeast(
                    Check.at(ObjectParts.CPU, ObjectParts.STOCK, "16 MiB"),
                    1,
                    Check.at(ObjectParts.CPU, ObjectParts.CACHED, "16 MiB"))))
        .expects(
            Check.that(
                "the server spends a tenth or less of that by RDIO, 16 MiB",
                Check.atLeast(
                    Check.at(ObjectParts.DATANODE_CPU, ObjectParts.STOCK, "16 MiB"),
                    10,
                    Check.at(ObjectParts.DATANODE_CPU, ObjectParts.CACHED, "16 MiB"))))
        .differs(MINIO)
        .differs("CPU seconds of the processes for 10^9 bytes, not a node's utilization")
        .build();
  }

  private static Figure traffic() {
    return Figure.of(Paper.RDIO, "3f", "traffic between the nodes, reads", published())
        .shows(ObjectParts.GRANTS, ObjectParts.TRAFFIC)
        .expects(
            Check.that(
                "stock HDFS sends each byte between the nodes, 16 MiB",
                Check.atLeast(Check.at(ObjectParts.TRAFFIC, ObjectParts.STOCK, "16 MiB"), 1)))
        .expects(
            Check.that(
                "RDIO sends next to none, 16 MiB",
                Check.atMost(Check.at(ObjectParts.TRAFFIC, ObjectParts.CACHED, "16 MiB"), 0.1)))
        .differs(
            "Loopback stands for the network between compute node and server; three hosts on"
                + " NVMe/TCP are in 'bin/rdio testbed --only traffic'")
        .differs("Reads only")
        .build();
  }

  private static String operations(String workload) {
    return "operations, workload " + workload;
  }

  private static String latency(String workload) {
    return "latency, median, workload " + workload;
  }

  private static Figure ycsb() {
    Figure.Builder figure =
        Figure.of(Paper.RDIO, "4", "YCSB: latency and throughput by threads", published())
            .differs(MINIO)
            .differs("Writes of both are stock HDFS's: " + NO_WRITES)
            .differs("'Optimal' is the raw device, of workload C only");
    for (String workload : WORKLOADS) {
      figure.shows(RECORDS, operations(workload), latency(workload));
    }
    for (String workload : List.of("B", "C")) {
      Check.Place rdio = Check.at(operations(workload), RDIO, "16");
      figure.expects(
          Check.that(
              "RDIO does more operations than stock HDFS, 16 threads, workload " + workload,
              Check.atLeast(rdio, 1, Check.at(operations(workload), STOCK_HDFS, "16"))));
    }
    return figure
        .expects(
            Check.that(
                "and no more than the optimum, workload C",
                Check.atLeast(
                    Check.at(operations("C"), OPTIMAL, "16"),
                    1,
                    Check.at(operations("C"), RDIO, "16"))))
        .build();
  }

  private static Measured records(Map<?, ?> json) {
    List<Panel> panels = new ArrayList<>();
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
        }
      }
      panels.add(operations.build());
      panels.add(latency.build());
    }
    return new Measured(panels);
  }

  private static Figure parityFree() {
    return Figure.of(
            Paper.RDIO,
            "5b",
            "parity-free decoding by DataNodes that are dead and maps that are cached",
            published())
        .shows(RESILIENCE, FAILS)
        .expects(
            Check.that(
                "stock HDFS fails beyond its parity",
                Check.atMost(Check.at(FAILS, STOCK, BEYOND_PARITY), 0)))
        .expects(
            Check.that(
                "RDIO goes on, with all maps cached and with none",
                Check.all(
                    List.of(
                        Check.atLeast(Check.at(FAILS, WARM, BEYOND_PARITY), 1),
                        Check.atLeast(Check.at(FAILS, COLD, BEYOND_PARITY), 1)))))
        .expects(
            Check.that(
                "RDIO without decoding is faster than stock HDFS that decodes",
                Check.atLeast(Check.at(FAILS, WARM, PARITY), 1, Check.at(FAILS, STOCK, PARITY))))
        .expects(
            Check.that(
                "the more maps are cached, the faster: all against none, all DataNodes alive",
                Check.atLeast(Check.at(FAILS, WARM, "0"), 1, Check.at(FAILS, COLD, "0"))))
        .differs(MINIO)
        .differs(
            "Of a file whose map is not cached and whose DataNode is dead the device is asked, where"
                + " the paper decodes")
        .build();
  }

  private static Panel resilience(Map<?, ?> json) {
    Panel.Builder panel = Panel.of(FAILS, "DataNodes dead, of 5", "MB/s; 0: the read fails");
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
