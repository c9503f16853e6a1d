// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.routing;

import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
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
  /** Of the better way's reads, at least. */
  private static final double SHARE_MIN = 0.95;

  Findings all() {
    Map<String, Object> mixed = new LinkedHashMap<>();
    benchmark.sizes().forEach(bytes -> mixed.put(Integer.toString(bytes), mixed(bytes)));
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("routed_to_better_by_bytes_per_read", mixed);
    fields.put("points", Figures.points(passes, this::fields));
    return Findings.of(List.of(new Section("", null, grid(), verdict())), List.of(note()), fields);
  }

  private String note() {
    return "Positional reads, checksums verified by all. Reads/s: median of "
        + benchmark.rounds()
        + " rounds, all ways in turn; latencies: of all reads of all rounds. The device is quiet and"
        + " busy in turn, so that routing begins each pass with what it found in the one before."
        + " Over both together it is to reach "
        + SHARE_MIN
        + " of the better of the other two.";
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
            "reads of", "way", "reads/s", "p50 µs", "p99 µs", "by DataNode %", "× better of both"),
        rows);
  }

  private List<String> row(Point point, Way way) {
    return List.of(
        point.toString(),
        way.label(),
        Grid.cell("%.0f", speed(point, way)),
        Grid.cell("%.0f", passes.micros(point, way, 50)),
        Grid.cell("%.0f", passes.micros(point, way, 99)),
        Grid.cell("%.1f", 100 * shareByDataNode(point, way)),
        way == Way.ROUTED ? Grid.cell("%.2f", toBetter(point)) : "");
  }

  private Map<String, Object> fields(Point point) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("bytes_per_read", point.bytes());
    fields.put("busy", point.busy());
    fields.put("routed_to_better", toBetter(point));
    return fields;
  }

  private double speed(Point point, Way way) {
    return passes.median(point, way, Pass::readsPerSecond);
  }

  private double shareByDataNode(Point point, Way way) {
    List<Pass> all = passes.of(point, way);
    double bytes = all.stream().mapToLong(pass -> pass.answer().bytes()).sum();
    return 1 - all.stream().mapToLong(pass -> pass.answer().rdioBytes()).sum() / bytes;
  }

  private double toBetter(Point point) {
    return speed(point, Way.ROUTED) / Math.max(speed(point, Way.STOCK), speed(point, Way.RDIO));
  }

  /**
   * Quiet and busy together, for one who cannot know which it will be: of the better way's reads.
   */
  private double mixed(int bytes) {
    return inAll(bytes, Way.ROUTED) / Math.max(inAll(bytes, Way.STOCK), inAll(bytes, Way.RDIO));
  }

  private double inAll(int bytes, Way way) {
    return speed(new Point(bytes, false), way) + speed(new Point(bytes, true), way);
  }

  private String verdict() {
    StringBuilder text = new StringBuilder();
    for (int bytes : benchmark.sizes()) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s, quiet and busy together: routing reads %.2f × the better of both (target ≥ %.2f):"
                  + " %s%n",
              Sizes.label(bytes),
              mixed(bytes),
              SHARE_MIN,
              mixed(bytes) >= SHARE_MIN ? "reached" : "missed"));
    }
    return text.toString();
  }
}
