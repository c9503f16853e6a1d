// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.CommandPart.Bounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Figures of the EXT4-oF paper, by the device plane. Of its text only the abstract was to be had.
 */
final class Ext4OfFigures {
  private static final String ABSTRACT =
      "the abstract (IEEE CLOUD 2023, pages 394-400); figures by their numbers in the project's"
          + " issue";

  private static final String SAYS =
      "\"EXT4-oF improves the performance of MinIO by minimizing network traffic between compute"
          + " and storage nodes and eliminating the need for TCP/IP communication during remote"
          + " reads.\"";

  private static final String REREAD =
      "Compute nodes re-read metadata from NVMe-oF, so as not to miss a file that is new.";

  private static final String CITED =
      "docs/measurements/2026-11-28-device-plane.md, which cites the paper";

  private static final String PLACE =
      "Stock HDFS stands in MinIO's place; readers compare the journal's end before and after a"
          + " read, where the paper's NVMe driver sees the writer's commands";

  private static final String STOCK = "stock HDFS";
  private static final String RDIO = "RDIO, by the device";
  private static final String UNIFORM = "uniform";
  private static final String ZIPF = "zipf";

  static final Part YCSB =
      CommandPart.json(
          "reads-by-device",
          "ycsb --metadata-plane device --distribution both --threads 1,4,16,64,256"
              + " --read-sizes 64k --files 8 --file-size 128m",
          "ycsb --metadata-plane device --distribution both --threads 1,16 --rounds 1 --seconds 1"
              + " --read-sizes 64k --files 4 --file-size 32m",
          new Bounds(330, 85),
          (json, printed) -> reads(json));

  private static final String STEP_READS = "reads of the device by step, mean";
  private static final String STEP_TIMES = "time by step, mean";
  private static final String ALL_STEPS = "all of it";
  private static final String NOTHING = "nothing";
  private static final String DIRECTORIES = "directories";
  private static final String EVERYTHING = "all";

  /** Opening a block file alone, without HDFS. */
  private static final Part STEPS =
      CommandPart.json(
          "opening-by-steps",
          "plane",
          "plane --rounds 1 --readers 1,4 --seconds 0.2 --wait 0.5",
          new Bounds(90, 30),
          (json, printed) -> steps(Json.object(json, "opening")));

  private Ext4OfFigures() {}

  static List<Figure> all() {
    return List.of(
        reads("4a", "throughput by threads", UNIFORM, "throughput"),
        cpu(),
        open(),
        openBySteps(),
        reads("5", "YCSB reads, uniform", UNIFORM, "throughput", "latency, median"),
        reads("6", "YCSB reads, Zipf", ZIPF, "throughput", "latency, median"));
  }

  private static Published published() {
    return Published.plotOnly(ABSTRACT, SAYS);
  }

  /** Of opening alone: ours read the file, too, or have no fabric below them. */
  private static Published publishedOpening() {
    return Published.numbers("ext4of.json", "open", CITED + "; and " + ABSTRACT, SAYS, REREAD);
  }

  private static String title(String figure, String distribution) {
    return figure + ", " + distribution;
  }

  private static Figure reads(String number, String title, String distribution, String... figures) {
    List<String> titles = new ArrayList<>();
    for (String figure : figures) {
      titles.add(title(figure, distribution));
    }
    String throughput = title("throughput", distribution);
    Figure.Builder built =
        Figure.of(Paper.EXT4_OF, number, title, published())
            .shows(YCSB, titles.toArray(String[]::new))
            .differs(PLACE)
            .differs("Reads only: positional ones of 64 KiB, as YCSB's workload C");
    for (String threads : List.of("1", "16")) {
      built.expects(
          Check.that(
              "reads by the device give more than by the server, threads: " + threads,
              Check.atLeast(
                  Check.at(throughput, RDIO, threads), 1, Check.at(throughput, STOCK, threads))));
    }
    return built.build();
  }

  private static Figure cpu() {
    String panel = title("CPU of client and DataNode", UNIFORM);
    return Figure.of(Paper.EXT4_OF, "4b", "CPU by threads", published())
        .shows(YCSB, panel)
        .expects(
            Check.that(
                "reads by the device take less CPU than by the server, threads: 16",
                Check.atLeast(Check.at(panel, STOCK, "16"), 1, Check.at(panel, RDIO, "16"))))
        .differs(PLACE)
        .differs("CPU seconds of client and DataNode for 10^9 bytes, not a node's utilization")
        .build();
  }

  private static Figure open() {
    return Figure.of(
            Paper.EXT4_OF, "open", "latency of opening and reading new files", publishedOpening())
        .shows(
            ObjectParts.DEVICE,
            ObjectParts.MEDIAN,
            ObjectParts.NINETY_NINE,
            ObjectParts.phases(ObjectParts.FRESH),
            ObjectParts.phases(ObjectParts.CACHED))
        .expects(
            Check.that(
                "a file that is new to the reader takes longer than one that is not, 4 KiB",
                Check.atLeast(
                    Check.at(ObjectParts.MEDIAN, ObjectParts.FRESH, "4 KiB"),
                    1,
                    Check.at(ObjectParts.MEDIAN, ObjectParts.CACHED, "4 KiB"))))
        .differs(PLACE)
        .differs("Metadata that are read from the device are in 'read'; by steps: open-steps")
        .build();
  }

  private static Figure openBySteps() {
    return Figure.of(
            Paper.EXT4_OF,
            "open-steps",
            "opening a new file by its steps, by what is in memory",
            publishedOpening())
        .shows(STEPS, STEP_READS, STEP_TIMES)
        .expects(
            Check.that(
                "the more is in memory, the fewer reads",
                Check.all(
                    List.of(
                        Check.notBelow(
                            Check.at(STEP_READS, ALL_STEPS, NOTHING),
                            Check.at(STEP_READS, ALL_STEPS, DIRECTORIES),
                            0),
                        Check.notBelow(
                            Check.at(STEP_READS, ALL_STEPS, DIRECTORIES),
                            Check.at(STEP_READS, ALL_STEPS, EVERYTHING),
                            0)))))
        .expects(
            Check.that(
                "the walk of the path reads nothing of directories that are in memory",
                Check.atMost(Check.at(STEP_READS, "path walk", DIRECTORIES), 0.5)))
        .differs(PLACE)
        .differs(
            "A loop device in memory, whose reads have no latency: multiply one with the reads."
                + " Means, which add up; a few openings that take much longer are in them")
        .build();
  }

  private static Measured steps(Map<?, ?> opening) {
    Panel.Builder reads = Panel.of(STEP_READS, "metadata in memory", "reads");
    Panel.Builder times = Panel.of(STEP_TIMES, "metadata in memory", "mean µs").stacked(true);
    steps(Json.object(opening, "cold"), NOTHING, reads, times);
    steps(Json.object(opening, "warm"), DIRECTORIES, reads, times);
    steps(Json.object(opening, "again"), EVERYTHING, reads, times);
    return new Measured(List.of(reads.build(), times.build()));
  }

  private static void steps(
      Map<?, ?> tallies, String inMemory, Panel.Builder reads, Panel.Builder times) {
    for (Map.Entry<?, ?> tally : tallies.entrySet()) {
      String step = (String) tally.getKey();
      Map<?, ?> figures = (Map<?, ?>) tally.getValue();
      reads.add(step, inMemory, Json.number(figures, "reads_mean"));
      if (!step.equals(ALL_STEPS)) {
        times.add(step, inMemory, Json.number(figures, "mean_us"));
      }
    }
  }

  private static Measured reads(Map<?, ?> json) {
    List<Panel> panels = new ArrayList<>();
    for (String distribution : List.of(UNIFORM, ZIPF)) {
      panels.add(panel(json, distribution, "throughput", "MB/s", "mbps"));
      panels.add(panel(json, distribution, "latency, median", "µs", "p50_us"));
      panels.add(
          panel(
              json,
              distribution,
              "CPU of client and DataNode",
              "s/GB",
              "client_cpu_s_per_gb",
              "datanode_cpu_s_per_gb"));
    }
    return new Measured(panels);
  }

  private static Panel panel(
      Map<?, ?> json, String distribution, String title, String unit, String... figures) {
    Panel.Builder panel = Panel.of(title(title, distribution), "threads", unit);
    for (Map<?, ?> point : Json.objects(json, "points")) {
      if (Json.text(point, "distribution").equals(distribution)) {
        String threads = Json.text(point, "threads");
        panel.add(STOCK, threads, sum(point, "stock", figures));
        panel.add(RDIO, threads, sum(point, "rdio", figures));
      }
    }
    return panel.build();
  }

  private static double sum(Map<?, ?> point, String way, String... figures) {
    double sum = 0;
    for (String figure : figures) {
      sum += Json.median(point, way, figure);
    }
    return sum;
  }
}
