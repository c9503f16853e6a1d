// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import io.rdio.bench.client.Task.Kind;
import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Plots;
import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Grid;
import io.rdio.bench.report.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What a run of {@code bench read} found. */
record ReadFindings(int rounds, WarmUp warmUp, Passes<Measure> passes, List<Target> targets) {
  /** Sequential reads and CPU first, and the targets last. */
  Findings all() {
    List<Section> sections = new ArrayList<>();
    for (Measure what : passes.keys()) {
      if (what.kind() == Kind.SEQUENTIAL) {
        Grid grid = grid(what);
        sections.add(
            new Section("Sequential reads", () -> ReadCharts.throughput(passes), grid, ""));
        sections.add(new Section("CPU", () -> ReadCharts.cpu(passes), null, ""));
      } else {
        sections.add(section(what));
      }
    }
    sections.add(new Section("Targets", null, Target.grid(targets), ""));
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("targets", targets.stream().map(Target::fields).toList());
    fields.put("measures", Figures.points(passes, ReadFindings::fields));
    return Findings.of(sections, notes(), fields);
  }

  private Section section(Measure what) {
    String name = what.toString();
    boolean compared = what.kind() != Kind.ROUND_TRIP;
    return new Section(
        name,
        compared ? () -> Plots.distribution(name, passes.histograms(what)) : null,
        grid(what),
        "");
  }

  private static Map<String, Object> fields(Measure what) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("measure", what.kind().name().toLowerCase(Locale.ROOT));
    fields.put("bytes_per_read", what.bytes());
    fields.put("opened_before", what.before());
    return fields;
  }

  private List<String> notes() {
    return List.of(
        "Median of "
            + rounds
            + " rounds (slowest–fastest or least–most in parentheses), after one that was not"
            + " measured; the ways take turns within each round. One client JVM for each way lives"
            + " over all rounds, so code, connections and file maps are warm: it read streams for "
            + Grid.cell("%.0f", warmUp.seconds())
            + " s first, and each size for three fifths of it. Before, what every way"
            + " reads of the files of sequential and positional reads was compared with what was written.",
        "Checksums are verified by all ways but raw device, which is O_DIRECT on the extents of the"
            + " same files: sequential 1 MiB, 8 under way by io_uring; positional one read at a time."
            + " Positional reads are at random multiples of their size; where the page cache is cold"
            + " at the start, stock remote and short-circuit warm it as they go. RDIO and raw device"
            + " never use it.",
        "First byte: opening a file of 128 KiB and its first byte; the second and third time by the same"
            + " client. What stock HDFS reads is in the page cache then. RDIO leaves small files to it"
            + " until they are read for the second time, loads their maps meanwhile, and reads the"
            + " device the third time. Bare socket: no file and no agent, but a message of 64 bytes to another thread"
            + " of the same JVM and back by a Unix domain socket, which is the least that asking an"
            + " agent takes.",
        "CPU: user and system time of the processes; the kernel's own threads, such as the loop"
            + " device's, are in no figure. Its readers: of the client's, what the threads used that"
            + " read; what is missing is mostly the JVM's compiler and garbage collector."
            + " Loopback and device bytes are of the whole machine."
            + " GB, MB: 10^9, 10^6 bytes.");
  }

  /** The table of one measure. */
  private Grid grid(Measure what) {
    List<String> head = new ArrayList<>(List.of(what.toString()));
    head.addAll(
        switch (what.kind()) {
          case SEQUENTIAL -> List.of("MB/s");
          case FIRST_BYTE, ROUND_TRIP -> List.of("p50 µs", "p99 µs of all rounds");
          default -> List.of("reads/s", "p50 µs", "p99 µs", "p99.9 µs");
        });
    if (carriesBytes(what)) {
      head.addAll(
          List.of(
              "client s/GB",
              "its readers s/GB",
              "DataNode s/GB",
              "agent s/GB",
              "loopback B/B",
              "device B/B",
              "by this way"));
    }
    List<List<String>> rows = new ArrayList<>();
    for (Way way : passes.ways(what)) {
      rows.add(row(what, way));
    }
    return new Grid(head, rows);
  }

  private List<String> row(Measure what, Way way) {
    // No way reads there: the agent's client only lends its JVM.
    String label = what.kind() == Kind.ROUND_TRIP ? "thread to thread" : way.label();
    List<String> row = new ArrayList<>(List.of(label));
    switch (what.kind()) {
      case SEQUENTIAL -> row.add(spread(what, way, Pass::megabytesPerSecond, "%.0f"));
      case FIRST_BYTE, ROUND_TRIP -> {
        row.add(spread(what, way, pass -> pass.micros(50), "%.0f"));
        row.add(Grid.cell("%.0f", passes.micros(what, way, 99)));
      }
      default -> {
        row.add(median(what, way, Pass::readsPerSecond, "%.0f"));
        row.add(spread(what, way, pass -> pass.micros(50), "%.1f"));
        row.add(median(what, way, pass -> pass.micros(99), "%.0f"));
        row.add(median(what, way, pass -> pass.micros(99.9), "%.0f"));
      }
    }
    if (carriesBytes(what)) {
      row.add(median(what, way, Pass::clientCpuPerGigabyte, "%.3f"));
      row.add(median(what, way, Pass::clientThreadsCpuPerGigabyte, "%.3f"));
      row.add(median(what, way, Pass::dataNodeCpuPerGigabyte, "%.3f"));
      row.add(median(what, way, Pass::agentCpuPerGigabyte, "%.3f"));
      row.add(median(what, way, Pass::loopbackPerByte, "%.4f"));
      row.add(median(what, way, Pass::devicePerByte, "%.3f"));
      row.add(median(what, way, Pass::percentByWay, "%.1f %%"));
    }
    return row;
  }

  private static boolean carriesBytes(Measure what) {
    return what.kind() == Kind.SEQUENTIAL || what.kind() == Kind.POSITIONAL;
  }

  private String spread(Measure what, Way way, ToDoubleFunction<Pass> figure, String format) {
    Spread spread = passes.spread(what, way, figure);
    return Grid.cell(
        format + " (" + format + "–" + format + ")", spread.median(), spread.min(), spread.max());
  }

  private String median(Measure what, Way way, ToDoubleFunction<Pass> figure, String format) {
    return Grid.cell(format, passes.median(what, way, figure));
  }
}
