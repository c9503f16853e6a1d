// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import io.rdio.bench.client.Task.Kind;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Grid;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.util.JsonSerialization;

/**
 * What a run of {@code bench read} found.
 *
 * @param command as the user typed it
 */
record ReadResult(
    String command,
    Machine machine,
    ReadOptions options,
    ClusterOptions where,
    Passes<Measure> passes)
    implements ClusterOptions.Output {
  private static final double NANOS_PER_MICRO = 1e3;

  /** How to read the figures; in the order of paragraphs. */
  List<String> notes() {
    return List.of(
        "Median of "
            + options.rounds()
            + " rounds (slowest–fastest or least–most in parentheses), after one that was not"
            + " measured; the ways take turns within each round. One client JVM for each way lives"
            + " over all rounds, so code, connections and file maps are warm. Before, every way's"
            + " bytes were compared with what was written.",
        "Checksums are verified by all ways but raw device, which is O_DIRECT on the extents of the"
            + " same files: sequential 1 MiB, 8 under way by io_uring; positional one read at a time."
            + " Positional reads are at random multiples of their size; where the page cache is cold"
            + " at the start, stock remote and short-circuit warm it as they go. RDIO and raw device"
            + " never use it.",
        "CPU: user and system time of the processes; the kernel's own threads, such as the loop"
            + " device's, are in no figure. Loopback and device bytes are of the whole machine."
            + " GB, MB: 10^9, 10^6 bytes.");
  }

  String setup() {
    return String.format(
        Locale.ROOT,
        "%s; %d thread%s, %s of files",
        where.describe(),
        options.threads(),
        options.threads() == 1 ? "" : "s",
        Sizes.label(options.threads() * options.fileBytes()));
  }

  List<Target> targets() {
    return Targets.of(passes, where.onTmpfs());
  }

  /** The table of one measure. */
  Grid grid(Measure what) {
    List<String> head = new ArrayList<>(List.of(what.toString()));
    head.addAll(
        switch (what.kind()) {
          case SEQUENTIAL -> List.of("MB/s");
          case FIRST_BYTE -> List.of("p50 µs", "p99 µs of all rounds");
          default -> List.of("reads/s", "p50 µs", "p99 µs", "p99.9 µs");
        });
    if (what.kind() != Kind.FIRST_BYTE) {
      head.addAll(
          List.of("client s/GB", "DataNode s/GB", "loopback B/B", "device B/B", "by this way"));
    }
    List<List<String>> rows = new ArrayList<>();
    for (Way way : passes.ways(what)) {
      rows.add(row(what, way));
    }
    return new Grid(head, rows);
  }

  private List<String> row(Measure what, Way way) {
    List<String> row = new ArrayList<>(List.of(way.label()));
    switch (what.kind()) {
      case SEQUENTIAL -> row.add(spread(what, way, Pass::megabytesPerSecond, "%.0f"));
      case FIRST_BYTE -> {
        row.add(spread(what, way, pass -> pass.micros(50), "%.0f"));
        long nanos = passes.histogram(what, way).getValueAtPercentile(99);
        row.add(String.format(Locale.ROOT, "%.0f", nanos / NANOS_PER_MICRO));
      }
      default -> {
        row.add(median(what, way, Pass::readsPerSecond, "%.0f"));
        row.add(spread(what, way, pass -> pass.micros(50), "%.1f"));
        row.add(median(what, way, pass -> pass.micros(99), "%.0f"));
        row.add(median(what, way, pass -> pass.micros(99.9), "%.0f"));
      }
    }
    if (what.kind() != Kind.FIRST_BYTE) {
      row.add(median(what, way, Pass::clientCpuPerGigabyte, "%.3f"));
      row.add(median(what, way, Pass::dataNodeCpuPerGigabyte, "%.3f"));
      row.add(median(what, way, Pass::loopbackPerByte, "%.4f"));
      row.add(median(what, way, Pass::devicePerByte, "%.3f"));
      row.add(
          median(what, way, pass -> 100.0 * pass.bytesByWay() / pass.answer().bytes(), "%.1f %%"));
    }
    return row;
  }

  private String spread(Measure what, Way way, ToDoubleFunction<Pass> figure, String format) {
    Spread spread = passes.spread(what, way, figure);
    return String.format(
        Locale.ROOT,
        format + " (" + format + "–" + format + ")",
        spread.median(),
        spread.min(),
        spread.max());
  }

  private String median(Measure what, Way way, ToDoubleFunction<Pass> figure, String format) {
    return String.format(Locale.ROOT, format, passes.spread(what, way, figure).median());
  }

  /** The table of targets. */
  Grid targetGrid() {
    List<List<String>> rows = new ArrayList<>();
    for (Target target : targets()) {
      rows.add(List.of(target.what(), target.boundText(), target.valueText(), target.verdict()));
    }
    return new Grid(List.of("rdio", "target", "measured", ""), rows);
  }

  /** For a terminal. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append("\n$ ").append(command).append('\n');
    text.append(machine.describe()).append("\n").append(Grid.wrapped(setup()));
    for (Measure what : passes.keys()) {
      text.append(grid(what).text()).append('\n');
    }
    text.append(targetGrid().text()).append('\n');
    notes().forEach(note -> text.append(Grid.wrapped(note)));
    for (String wrong : passes.wrongWays()) {
      text.append("NOT AS IT SHOULD BE: ").append(wrong).append('\n');
    }
    return text.toString();
  }

  @Override
  public String json() throws IOException {
    Map<String, Object> setup = new LinkedHashMap<>(where.fields());
    setup.put("threads", options.threads());
    setup.put("file_bytes", options.fileBytes());
    setup.put("rounds", options.rounds());
    setup.put("seconds", options.seconds());
    setup.put("first_byte_files", options.firstBytes());
    List<Object> measures = new ArrayList<>();
    for (Measure what : passes.keys()) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("measure", what.kind().name().toLowerCase(Locale.ROOT));
      fields.put("bytes_per_read", what.bytes());
      fields.put("ways", Figures.byWay(passes, what));
      measures.add(fields);
    }
    Map<String, Object> fields = Figures.ofRun(command, machine, setup, passes);
    fields.put("targets", targets().stream().map(Target::fields).toList());
    fields.put("measures", measures);
    return new JsonSerialization<>(Map.class, false, true).toJson(fields) + "\n";
  }

  @Override
  public String html() throws IOException {
    return ReadPage.html(this);
  }
}
