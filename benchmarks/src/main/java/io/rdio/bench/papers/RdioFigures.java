// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.client.Phase;
import java.util.List;

/** Figures of the RDIO paper. Its text was not to be had here, but for what abstracts say. */
final class RdioFigures {
  private static final String ABSTRACT =
      "the abstract (IEEE Micro 45(6), 2025, pages 16-23); figures by their numbers in the"
          + " project's issue";

  private static final String RESOURCE = "rdio.json";

  /** Of what is said of writes, and where in the paper nobody says. */
  static final String ISSUE =
      "the project's issue on remote writes, which cites the paper, but neither figure nor objects,"
          + " threads and codes";

  private static final String SAYS =
      "\"Rdio significantly improves performance by reducing remote data movement between nodes.\"";

  static final String MINIO =
      "Stock HDFS stands in MinIO's place, one machine for three nodes, loopback for the network,"
          + " a loop device for NVMe-oF";

  static final String DURABLE =
      "when a close returns, what RDIO wrote is on the device, what stock HDFS wrote in page"
          + " caches";

  private static final String CPU =
      "CPU seconds of the processes for 10^9 bytes, not a node's utilization";

  private static final String READ_PHASES =
      "Phases: a device is found and opened before the first round; CRCs are checked and copied in"
          + " one pass, which is in 'read', as what stock HDFS does behind 'open' is; 'bench micro'"
          + " has the steps of a warm read";

  private RdioFigures() {}

  static List<Figure> all() {
    return List.of(
        throughput(),
        latency(),
        writeThroughput(),
        writeLatency(),
        cpu(),
        traffic(),
        writesCpu(),
        writesTraffic(),
        ycsb(),
        ycsbWritten(),
        ParityFigures.deferred(),
        ParityFigures.deferredOfNine(),
        ParityFigures.free());
  }

  private static Published published() {
    return Published.plotOnly(ABSTRACT, SAYS);
  }

  /**
   * Of a figure of which a number is cited.
   *
   * @param source where it is cited
   */
  static Published cited(String number, String source) {
    return Published.numbers(RESOURCE, number, source + "; and " + ABSTRACT, SAYS);
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
            .shows(
                ObjectParts.GRANTS,
                ObjectParts.MEDIAN,
                ObjectParts.NINETY_NINE,
                ObjectParts.phases(ObjectParts.STOCK),
                ObjectParts.phases(ObjectParts.FRESH),
                ObjectParts.phases(ObjectParts.CACHED))
            .differs(MINIO)
            .differs(READ_PHASES);
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
                "a map that is not cached is asked for, 4 KiB",
                Check.atLeast(
                    Check.at(ObjectParts.phases(ObjectParts.FRESH), Phase.MAP.label(), "4 KiB"),
                    1)))
        .expects(
            Check.that(
                "a map that is not cached takes its time, 4 KiB",
                Check.atLeast(
                    Check.at(ObjectParts.MEDIAN, ObjectParts.FRESH, "4 KiB"),
                    1,
                    Check.at(ObjectParts.MEDIAN, ObjectParts.CACHED, "4 KiB"))))
        .build();
  }

  private static Figure writeThroughput() {
    String times = "write throughput, in times of stock HDFS's";
    String panel = RdioParts.WRITE_THROUGHPUT;
    return writes("3c", panel, RdioParts.RDIO_WRITES, RdioParts.STOCK_WRITES, cited("3c", ISSUE))
        .divides(times, panel, RdioParts.RDIO_WRITES, RdioParts.STOCK_WRITES)
        .divides(times, panel, RdioParts.RDIO_WRITES_3, RdioParts.STOCK_WRITES_3)
        .build();
  }

  private static Figure writeLatency() {
    String panel = RdioParts.WRITE_LATENCY;
    return writes("3d", panel, RdioParts.STOCK_WRITES, RdioParts.RDIO_WRITES, published())
        .shows(RdioParts.WRITES, RdioParts.writePhases())
        .differs(
            "Phases: what an agent does within 'commit' (the device's writes, its flush, the"
                + " DataNodes' Commit) is not told apart, nor what stock HDFS's pipeline does")
        .build();
  }

  /**
   * @param more the line that is to have the larger value
   */
  private static Figure.Builder writes(
      String number, String panel, String more, String less, Published published) {
    return Figure.of(Paper.RDIO, number, panel + " by object size", published)
        .shows(RdioParts.WRITES, panel)
        .expects(
            Check.that(
                    "RDIO is ahead of stock HDFS, 1 MiB",
                    Check.atLeast(
                        Check.at(panel, more, "1 MiB"), 1, Check.at(panel, less, "1 MiB")))
                .unlikelyHere(DURABLE))
        .differs(MINIO)
        .differs("Objects below 1 MiB are stock HDFS's by either way; × 3 has three replicas");
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
                "the server spends a third or less of that by RDIO, 16 MiB",
                Check.atLeast(
                    Check.at(ObjectParts.DATANODE_CPU, ObjectParts.STOCK, "16 MiB"),
                    3,
                    Check.at(ObjectParts.DATANODE_CPU, ObjectParts.CACHED, "16 MiB"))))
        .differs(MINIO)
        .differs(CPU)
        .build();
  }

  private static Figure traffic() {
    return Figure.of(
            Paper.RDIO,
            "3f",
            "traffic between the nodes, reads",
            cited("3f", "docs/measurements/2026-11-21-epyc.md, which cites the paper"))
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
            "Loopback stands for the network between compute node and server; what crosses to the"
                + " device is not in it, and is in the paper's number. All links of three hosts on"
                + " Linux's NVMe/TCP: 'bin/rdio testbed --only traffic,table',"
                + " docs/measurements/2026-11-21-epyc.md (warm maps, 32 KB and more: stock HDFS's"
                + " traffic is 2.00 to 2.13 times RDIO's)")
        .differs("Reads only")
        .build();
  }

  private static Figure writesCpu() {
    return Figure.of(
            Paper.RDIO, "writes-3e", "3e for writes: CPU by object size", cited("writes-3e", ISSUE))
        .shows(RdioParts.WRITES, RdioParts.WRITE_CPU, RdioParts.WRITE_DATANODE_CPU)
        .divides(
            "CPU of writes, in times of stock HDFS's",
            RdioParts.WRITE_CPU,
            RdioParts.RDIO_WRITES,
            RdioParts.STOCK_WRITES)
        .expects(
            Check.that(
                    "the server spends less by RDIO, 1 MiB",
                    Check.atLeast(
                        Check.at(RdioParts.WRITE_DATANODE_CPU, RdioParts.STOCK_WRITES, "1 MiB"),
                        1,
                        Check.at(RdioParts.WRITE_DATANODE_CPU, RdioParts.RDIO_WRITES, "1 MiB")))
                .unlikelyHere(DURABLE))
        .differs(MINIO)
        .differs(CPU)
        .differs(
            "Slots that are made behind a pass are not in it, nor the kernel's threads that write"
                + " back what stock HDFS wrote")
        .build();
  }

  private static Figure writesTraffic() {
    return Figure.of(
            Paper.RDIO,
            "writes-3f",
            "3f for writes: traffic between the nodes",
            cited("writes-3f", ISSUE))
        .shows(RdioParts.WRITES, RdioParts.WRITE_TRAFFIC)
        .expects(
            Check.that(
                "RDIO sends a third or less of what stock HDFS does, 1 MiB",
                Check.atLeast(
                    Check.at(RdioParts.WRITE_TRAFFIC, RdioParts.STOCK_WRITES, "1 MiB"),
                    3,
                    Check.at(RdioParts.WRITE_TRAFFIC, RdioParts.RDIO_WRITES, "1 MiB"))))
        .differs(
            "Loopback stands for the network between compute node and server; what crosses to the"
                + " devices, the zeros of slots too, is in 'bench write', and in the paper's"
                + " number. All links of several hosts on Linux's NVMe/TCP: 'bin/rdio"
                + " testbed --only write-traffic', docs/measurements/2026-11-30-write-traffic.md"
                + " (stock HDFS's traffic is 1.99 times RDIO's, the zeros of slots apart)")
        .build();
  }

  private static Check ahead(String workload) {
    String panel = RdioParts.operations(workload);
    return Check.that(
        "RDIO does more operations than stock HDFS, 16 threads, workload " + workload,
        Check.atLeast(
            Check.at(panel, RdioParts.RDIO, "16"), 1, Check.at(panel, RdioParts.STOCK_HDFS, "16")));
  }

  private static Check belowOptimum(String workload) {
    String panel = RdioParts.operations(workload);
    return Check.that(
        "RDIO does no more operations than the optimum, 16 threads, workload " + workload,
        Check.atLeast(
            Check.at(panel, RdioParts.OPTIMAL, "16"), 1, Check.at(panel, RdioParts.RDIO, "16")));
  }

  private static Figure ycsb() {
    Figure.Builder figure =
        Figure.of(Paper.RDIO, "4", "YCSB: latency and throughput by threads", published())
            .differs(MINIO)
            .differs("Writes of both are stock HDFS's; RDIO's: 4-writes")
            .differs(
                "'Optimal' opens, reads and closes the DataNode's block files on its host, past the"
                    + " page cache, and writes files of the same volume so, without checksums; of"
                    + " workload C there is the raw device, too, without a file system");
    for (String workload : RdioParts.WORKLOADS) {
      figure.shows(RdioParts.RECORDS, RdioParts.operations(workload), RdioParts.latency(workload));
    }
    for (String workload : List.of("B", "C", "D")) { // which hardly write: that is less durable
      figure.expects(belowOptimum(workload));
    }
    return figure
        .expects(ahead("C"))
        .expects(
            ahead("B")
                .unlikelyHere(
                    "a record that was just written has no map yet, and a grant makes its pin durable"))
        .build();
  }

  private static Figure ycsbWritten() {
    Figure.Builder figure =
        Figure.of(
                Paper.RDIO,
                "4-writes",
                "YCSB with RDIO's writes: latency and throughput by threads",
                published())
            .differs(MINIO)
            .differs(
                "A record takes a slot that was made before the pass; when they are used up, or 64"
                    + " are lent, stock HDFS writes. The agent of the host reads, too. 16 and 64"
                    + " threads");
    for (String workload : RdioParts.WORKLOADS) {
      if (!workload.equals("C")) {
        figure.shows(
            RdioParts.RECORDS_WRITTEN, RdioParts.operations(workload), RdioParts.latency(workload));
      }
    }
    return figure
        .shows(RdioParts.RECORDS_WRITTEN, RdioParts.WRITTEN)
        .expects(
            Check.that(
                "most of what the agent's way writes goes by RDIO, 16 threads, workload A",
                Check.atLeast(Check.at(RdioParts.WRITTEN, "workload A", "16"), 0.5)))
        .expects(
            Check.that(
                    "it does more operations than stock HDFS, 16 threads, workload A",
                    Check.atLeast(
                        Check.at(RdioParts.operations("A"), RdioParts.BY_AGENT, "16"),
                        1,
                        Check.at(RdioParts.operations("A"), RdioParts.STOCK_HDFS, "16")))
                .unlikelyHere(DURABLE))
        .build();
  }
}
