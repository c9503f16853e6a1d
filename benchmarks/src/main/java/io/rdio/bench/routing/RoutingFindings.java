// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.routing;

import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Grid;
import io.rdio.bench.routing.RoutingBenchmark.Point;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a run of {@code bench routing} found. */
record RoutingFindings(RoutingBenchmark benchmark, Passes<Point> passes) {
  /** Of the best single way's bytes in a phase, at least. */
  private static final double PHASE_MIN = 0.97;

  /** Of the better way's bytes over both phases, at least. */
  private static final double TOGETHER_MIN = 0.95;

  Findings all() {
    Map<String, Object> bySize = new LinkedHashMap<>();
    List<Map<String, Object>> together = new ArrayList<>();
    for (Point quiet : quietOnes()) {
      bySize.putIfAbsent(Integer.toString(quiet.bytes()), together(quiet));
      together.add(togetherFields(quiet));
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("routed_to_better_by_bytes_per_read", bySize);
    fields.put("points", Figures.points(passes, this::fields));
    fields.put("together", together);
    return Findings.of(List.of(new Section("", null, grid(), verdict())), List.of(note()), fields);
  }

  private String note() {
    String what =
        benchmark.stream()
            ? "Reads from start to end, each timed when so much more has come, in whatever pieces"
            : "Positional reads";
    return what
        + ", checksums verified by all. Reads/s and MB/s: median of "
        + benchmark.rounds()
        + " rounds, all ways in turn; latencies: of all reads of all rounds. The device is quiet and"
        + " busy in turn, so that routing begins each pass with what it found in the one before."
        + " In each phase it is to reach "
        + PHASE_MIN
        + " of the MB/s of the best single way, over both together "
        + TOGETHER_MIN
        + " of the better one.";
  }

  /** What was measured, once for both phases. */
  private List<Point> quietOnes() {
    return passes.keys().stream().filter(point -> !point.busy()).toList();
  }

  private Grid grid() {
    List<List<String>> rows = new ArrayList<>();
    for (Point point : passes.keys()) {
      for (Way way : RoutingBenchmark.WAYS) {
        rows.add(row(point, way));
      }
    }
    return new Grid(
        List.of(
            "reads of",
            "way",
            "reads/s",
            "MB/s",
            "p50 µs",
            "p99 µs",
            "by DataNode %",
            "at once %",
            "× better of both"),
        rows);
  }

  private List<String> row(Point point, Way way) {
    return List.of(
        point.toString(),
        way.label(),
        Grid.cell("%.0f", passes.median(point, way, Pass::readsPerSecond)),
        Grid.cell("%.0f", speed(point, way)),
        Grid.cell("%.0f", passes.micros(point, way, 50)),
        Grid.cell("%.0f", passes.micros(point, way, 99)),
        Grid.cell("%.1f", 100 * shareByDataNode(point, way)),
        way == Way.ROUTED ? Grid.cell("%.1f", 100 * shareAtOnce(point)) : "",
        way == Way.ROUTED ? Grid.cell("%.2f", toBetter(point)) : "");
  }

  private Map<String, Object> fields(Point point) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("bytes_per_read", point.bytes());
    fields.put("busy", point.busy());
    fields.put("routed_to_better", toBetter(point));
    fields.put("at_once_share", shareAtOnce(point));
    fields.put("threads", point.threads());
    fields.put("at_least", PHASE_MIN);
    fields.put("reached", toBetter(point) >= PHASE_MIN);
    return fields;
  }

  private Map<String, Object> togetherFields(Point quiet) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("bytes_per_read", quiet.bytes());
    fields.put("threads", quiet.threads());
    fields.put("routed_to_better", together(quiet));
    fields.put("at_least", TOGETHER_MIN);
    fields.put("reached", together(quiet) >= TOGETHER_MIN);
    return fields;
  }

  private double speed(Point point, Way way) {
    return passes.median(point, way, Pass::megabytesPerSecond);
  }

  private double shareByDataNode(Point point, Way way) {
    List<Pass> all = passes.of(point, way);
    double bytes = all.stream().mapToLong(pass -> pass.answer().totals().bytes()).sum();
    return 1 - all.stream().mapToLong(pass -> pass.answer().counters().rdioBytes()).sum() / bytes;
  }

  /** Of all bytes of runs, those that a DataNode brought while the device read them, too. */
  private double shareAtOnce(Point point) {
    List<Pass> all = passes.of(point, Way.ROUTED);
    double bytes = all.stream().mapToLong(pass -> pass.answer().totals().bytes()).sum();
    return all.stream().mapToLong(pass -> pass.answer().counters().togetherBytes()).sum() / bytes;
  }

  private double toBetter(Point point) {
    return speed(point, Way.ROUTED) / Math.max(speed(point, Way.STOCK), speed(point, Way.RDIO));
  }

  /**
   * Quiet and busy together, for one who cannot know which it will be: of the better way's bytes.
   */
  private double together(Point quiet) {
    return inAll(quiet, Way.ROUTED) / Math.max(inAll(quiet, Way.STOCK), inAll(quiet, Way.RDIO));
  }

  private double inAll(Point quiet, Way way) {
    Point busy = new Point(quiet.bytes(), quiet.threads(), true);
    return speed(quiet, way) + speed(busy, way);
  }

  private String verdict() {
    StringBuilder text = new StringBuilder();
    for (Point point : passes.keys()) {
      text.append(line(point.toString(), toBetter(point), "the best single way", PHASE_MIN));
    }
    for (Point quiet : quietOnes()) {
      String what = quiet.reads() + ", quiet and busy together";
      text.append(line(what, together(quiet), "the better of both", TOGETHER_MIN));
    }
    return text.toString();
  }

  private static String line(String what, double ratio, String of, double least) {
    return String.format(
        Locale.ROOT,
        "%s: routing reads %.2f × %s (target ≥ %.2f): %s%n",
        what,
        ratio,
        of,
        least,
        ratio >= least ? "reached" : "missed");
  }
}
