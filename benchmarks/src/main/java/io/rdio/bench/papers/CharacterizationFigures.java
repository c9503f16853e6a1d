// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.CommandPart.Bounds;
import io.rdio.bench.twolevel.ControlGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tables of the I/O characterization paper. */
final class CharacterizationFigures {
  private static final Published PUBLISHED =
      Published.plotOnly(
          "the paper's tables 1 to 3, which were not to be had here",
          "That a faster device answers sooner is all that the shape is taken to be.");

  private static final String SLOW = "slow device";
  private static final String FAST = "fast device";
  private static final String READ = "random read, RDIO direct";
  private static final String MEANS = "mean of all combinations";
  private static final String WRITTEN = "what of the agent's writes went by RDIO";
  private static final String SHARE = "mean of all combinations' shares";

  private static final Part READS =
      part(
          "read",
          "--seconds 0.5 --size 256m",
          "--seconds 0.3 --size 64m --slow 16m --schedulers none --tasks 4 --repeats 2",
          new Bounds(880, 80));

  /**
   * A pass is as many files as there are tasks, or little more: behind each of the agent's the
   * DataNode makes as many slots, for seconds.
   */
  private static final Part WRITES =
      part("write", "--seconds 0.3 --size 8m", "", new Bounds(1190, 0));

  private CharacterizationFigures() {}

  /**
   * Reads and writes apart, for both would take longer than a part may.
   *
   * @param operation what is measured
   * @param quickOptions empty if it has no part in a quick run
   */
  private static Part part(String operation, String options, String quickOptions, Bounds bounds) {
    String line = "characterize --operations " + operation + " ";
    return CommandPart.json(
            "characterize-" + operation + "s",
            line + options,
            quickOptions.isEmpty() ? "" : line + quickOptions,
            bounds,
            (json, printed) -> measured(json))
        .unless(ControlGroup::whyNot);
  }

  static List<Figure> all() {
    return List.of(
        table("1", "average latency, data and metadata on the slow device", SLOW),
        Figure.of(
                Paper.CHARACTERIZATION,
                "2",
                "average latency, metadata on the fast device",
                PUBLISHED)
            .cannotRun(
                "a block's meta file lies beside it, and the NameNode's metadata are in memory,"
                    + " so that reads meet no metadata on another device"),
        table("3", "average latency, data and metadata on the fast device", FAST),
        writes());
  }

  private static Figure table(String number, String title, String placement) {
    return Figure.of(Paper.CHARACTERIZATION, number, title, PUBLISHED)
        .shows(READS, panel(placement), MEANS)
        .expects(
            Check.that(
                "the fast device answers sooner than the slow one",
                Check.atLeast(Check.at(MEANS, READ, SLOW), 1, Check.at(MEANS, READ, FAST))))
        .differs(
            "bfq stands for CFQ, mq-deadline for deadline, none for noop; a loop device whose rate"
                + " is bounded for a disk")
        .differs("Reads only: writes have a figure of their own")
        .build();
  }

  private static Figure writes() {
    return Figure.of(
            Paper.CHARACTERIZATION,
            "writes",
            "average latency of writes, tables 1 and 3",
            PUBLISHED)
        .shows(WRITES, panel(SLOW), panel(FAST), MEANS, WRITTEN)
        .expects(
            Check.that(
                "most of what the agent's way writes goes by RDIO",
                Check.all(
                    List.of(
                        Check.atLeast(Check.at(WRITTEN, SHARE, SLOW), 0.5),
                        Check.atLeast(Check.at(WRITTEN, SHARE, FAST), 0.5)))))
        .differs(
            "HDFS writes files from start to end only; the slow device's rate is bounded for reads"
                + " alone, such as what a Commit reads back")
        .differs(
            "When a write's close returns, what the agent wrote is on the device, what stock HDFS"
                + " wrote in page caches; a client by itself does not write by RDIO")
        .build();
  }

  private static String panel(String placement) {
    return "average latency, " + placement;
  }

  private static Measured measured(Map<?, ?> json) {
    Map<String, Panel.Builder> panels = new LinkedHashMap<>();
    Map<String, double[]> sums = new LinkedHashMap<>();
    Panel.Builder means = Panel.of(MEANS, "placement", "µs");
    Panel.Builder written = Panel.of(WRITTEN, "placement", "share");
    for (Map<?, ?> average : Json.objects(json, "averages")) {
      String placement = Json.text(average, "placement");
      String line = line(average);
      double micros = Json.number(average, "average_us");
      panels
          .computeIfAbsent(placement, key -> Panel.of(panel(key), "scheduler, tasks", "µs"))
          .add(line, Json.text(average, "scheduler") + ", " + Json.text(average, "tasks"), micros);
      means.add(line, placement, mean(sums, line + "\n" + placement, micros));
      double share = Json.number(average, "agent_share_written");
      if (!Double.isNaN(share)) {
        written.add(SHARE, placement, mean(sums, SHARE + "\n" + placement, share));
      }
    }
    List<Panel> all = new ArrayList<>(panels.values().stream().map(Panel.Builder::build).toList());
    all.add(means.build());
    all.add(written.build());
    return new Measured(all);
  }

  /** The mean of all values so far of that name, this one among them. */
  private static double mean(Map<String, double[]> sums, String name, double value) {
    double[] sum = sums.computeIfAbsent(name, key -> new double[2]);
    sum[0] += value;
    sum[1]++;
    return sum[0] / sum[1];
  }

  private static String line(Map<?, ?> average) {
    String way =
        switch (Json.text(average, "way")) {
          case "rdio" -> "RDIO direct";
          case "rdio, agent" -> "RDIO by the agent";
          default -> "stock HDFS";
        };
    return Json.text(average, "pattern") + " " + Json.text(average, "operation") + ", " + way;
  }
}
