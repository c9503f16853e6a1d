// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.routing;

import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Grid;
import io.rdio.bench.report.Page;
import io.rdio.bench.routing.RoutingBenchmark.Point;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.util.JsonSerialization;

/**
 * What a run of {@code bench routing} found.
 *
 * @param command as the user typed it
 */
record RoutingResult(
    String command,
    Machine machine,
    RoutingOptions options,
    ClusterOptions where,
    Passes<Point> passes)
    implements ClusterOptions.Output {
  /** Of the better way's reads, at least. */
  private static final double SHARE_MIN = 0.95;

  private static final double NANOS_PER_MICRO = 1e3;

  String setup() {
    return String.format(
        Locale.ROOT,
        "%s; a file of %s, %d threads; busy: %d threads read another file with O_DIRECT, 1 MiB each",
        where.describe(),
        Sizes.label(options.bytes()),
        options.threads(),
        options.loadThreads());
  }

  String note() {
    return "Positional reads, checksums verified by all. Reads/s: median of "
        + options.rounds()
        + " rounds, all ways in turn; latencies: of all reads of all rounds. The device is quiet and"
        + " busy in turn, so that routing begins each pass with what it found in the one before."
        + " Over both together it is to reach "
        + SHARE_MIN
        + " of the better of the other two.";
  }

  Grid grid() {
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
        String.format(Locale.ROOT, "%.0f", speed(point, way)),
        micros(point, way, 50),
        micros(point, way, 99),
        String.format(Locale.ROOT, "%.1f", 100 * shareByDataNode(point, way)),
        way == Way.ROUTED ? String.format(Locale.ROOT, "%.2f", toBetter(point)) : "");
  }

  private double speed(Point point, Way way) {
    return passes.spread(point, way, Pass::readsPerSecond).median();
  }

  private String micros(Point point, Way way, double percentile) {
    return String.format(
        Locale.ROOT,
        "%.0f",
        passes.histogram(point, way).getValueAtPercentile(percentile) / NANOS_PER_MICRO);
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
    for (int bytes : options.sizes()) {
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

  /** For a terminal. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append("\n$ ").append(command).append('\n');
    text.append(machine.describe()).append("\n").append(Grid.wrapped(setup()));
    text.append(grid().text()).append('\n').append(verdict()).append(Grid.wrapped(note()));
    for (String wrong : passes.wrongWays()) {
      text.append("NOT AS IT SHOULD BE: ").append(wrong).append('\n');
    }
    return text.toString();
  }

  @Override
  public String json() throws IOException {
    Map<String, Object> setup = new LinkedHashMap<>(where.fields());
    setup.put("file_bytes", options.bytes());
    setup.put("threads", options.threads());
    setup.put("load_threads", options.loadThreads());
    setup.put("rounds", options.rounds());
    setup.put("seconds", options.seconds());
    List<Object> points = new ArrayList<>();
    for (Point point : passes.keys()) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("bytes_per_read", point.bytes());
      fields.put("busy", point.busy());
      fields.put("routed_to_better", toBetter(point));
      fields.put("ways", Figures.byWay(passes, point));
      points.add(fields);
    }
    Map<String, Object> fields = Figures.ofRun(command, machine, setup, passes);
    Map<String, Object> mixed = new LinkedHashMap<>();
    options.sizes().forEach(bytes -> mixed.put(Integer.toString(bytes), mixed(bytes)));
    fields.put("routed_to_better_by_bytes_per_read", mixed);
    fields.put("points", points);
    return new JsonSerialization<>(Map.class, false, true).toJson(fields) + "\n";
  }

  @Override
  public String html() throws IOException {
    Page page =
        new Page("RDIO-HDFS: bench routing")
            .command(command)
            .text(machine.describe())
            .text(setup());
    passes.wrongWays().forEach(wrong -> page.warning("Not as it should be: " + wrong));
    return page.grid(grid()).text(verdict()).headline("How to read this").text(note()).html();
  }
}
