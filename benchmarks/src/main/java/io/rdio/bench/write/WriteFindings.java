// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import io.rdio.bench.client.Output;
import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.ParityLag;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.PhaseTable;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Grid;
import io.rdio.bench.report.Target;
import io.rdio.bench.write.WriteBenchmark.Seen;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** What a run of {@code bench write} found. */
record WriteFindings(WriteBenchmark benchmark, Passes<Load> passes) {
  private static final double MICROS_PER_MILLI = 1e3;
  private static final double MILLIS = 1e3;

  /** Of all tables, behind what each has for itself. */
  private static final List<String> COSTS =
      List.of(
          "client s/GB",
          "agent s/GB",
          "DataNodes s/GB",
          "loopback B/B",
          "devices B/B",
          "links B/B",
          "slots B/B",
          "slots s/GB",
          "by RDIO");

  Findings all() {
    List<Target> targets = WriteTargets.of(passes);
    List<Section> sections = new ArrayList<>();
    sections.add(new Section("Large files", null, streams(), ""));
    if (passes.keys().stream().anyMatch(load -> !load.isStream())) {
      sections.add(new Section("Objects", null, objects(), ""));
    }
    if (isCoded()) {
      sections.add(new Section("Parity", null, parity(), ""));
    }
    sections.add(new Section("By phase", null, PhaseTable.of(passes), ""));
    sections.add(new Section("DataNodes by thread", null, ThreadTable.of(passes), ""));
    sections.add(new Section("Targets", null, Target.grid(targets), ""));
    Map<String, Object> fields = new LinkedHashMap<>();
    benchmark.seen().forEach((what, n) -> fields.put(what.name().toLowerCase(Locale.ROOT), n));
    Map<String, Object> warmUp = new LinkedHashMap<>();
    benchmark.warmedUp().forEach((way, stored) -> warmUp.put(name(way), stored.fields()));
    fields.put("warm_up", warmUp);
    fields.put("targets", targets.stream().map(Target::fields).toList());
    fields.put("loads", Figures.points(passes, this::fields));
    return Findings.of(sections, notes(), fields);
  }

  private boolean isCoded() {
    return benchmark.plan().policy() != null;
  }

  private Map<String, Object> fields(Load load) {
    Map<String, Object> fields = load.fields();
    fields.put("slots_made_for_rounds", ofRounds(load, WriteFindings::slots));
    if (isCoded()) {
      fields.put("parity_of_rounds", ofRounds(load, WriteFindings::parity));
    }
    if (load.isStream()) {
      fields.put(
          "datanode_threads_cpu_s_per_gb",
          ofWays(load, way -> ThreadTable.perGigabyte(passes, load, way)));
      fields.put("datanode_threads_cpu_s_of_rounds", ofRounds(load, ThreadTable::seconds));
    }
    return fields;
  }

  private Map<String, Object> ofRounds(Load load, Function<Pass, Map<String, Object>> ofPass) {
    return ofWays(load, way -> passes.of(load, way).stream().map(ofPass).toList());
  }

  private Map<String, Object> ofWays(Load load, Function<Way, Object> ofWay) {
    Map<String, Object> ways = new LinkedHashMap<>();
    for (Way way : passes.ways(load)) {
      ways.put(name(way), ofWay.apply(way));
    }
    return ways;
  }

  private static String name(Way way) {
    return way.name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, Object> parity(Pass pass) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("groups_deferred", pass.parity().groups());
    fields.put("group_s_without", pass.parity().groupSeconds());
    fields.put("written_s_behind_pass", pass.parity().agentSeconds());
    fields.put("known_s_behind_pass", pass.parity().knownSeconds());
    return fields;
  }

  private static Map<String, Object> slots(Pass pass) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("bytes", pass.slots().bytes());
    fields.put("bytes_during_pass", pass.slots().duringBytes());
    fields.put("datanode_cpu_s_behind_pass", pass.slots().cpuSeconds());
    return fields;
  }

  private Grid streams() {
    List<List<String>> rows = new ArrayList<>();
    for (Load load : passes.keys()) {
      for (Way way : load.isStream() ? passes.ways(load) : List.<Way>of()) {
        List<String> row = new ArrayList<>(List.of(load.toString(), way.label()));
        row.add(spread(passes.spread(load, way, Pass::megabytesPerSecond), "%.0f"));
        row.add(timesStock(load, way, Pass::megabytesPerSecond));
        row.addAll(costs(load, way));
        rows.add(row);
      }
    }
    return grid(List.of("large files", "by", "MB/s", "× stock"), rows);
  }

  private Grid objects() {
    List<List<String>> rows = new ArrayList<>();
    for (Load load : passes.keys()) {
      for (Way way : load.isStream() ? List.<Way>of() : passes.ways(load)) {
        List<String> row = new ArrayList<>(List.of(load.toString(), way.label()));
        row.add(Long.toString(passes.histogram(load, way).getTotalCount()));
        row.add(spread(passes.spread(load, way, pass -> millis(pass, 50)), "%.1f"));
        row.add(Grid.cell("%.1f", passes.micros(load, way, 99) / MICROS_PER_MILLI));
        row.add(timesStock(load, way, pass -> millis(pass, 50)));
        row.addAll(costs(load, way));
        rows.add(row);
      }
    }
    return grid(List.of("objects", "by", "written", "p50 ms", "p99 ms", "p50 × stock"), rows);
  }

  private Grid parity() {
    List<List<String>> rows = new ArrayList<>();
    for (Load load : passes.keys()) {
      for (Way way : passes.ways(load)) {
        List<Pass> rounds = passes.of(load, way);
        ParityLag all = rounds.stream().map(Pass::parity).reduce(ParityLag.NONE, ParityLag::plus);
        List<String> row = new ArrayList<>(List.of(load.toString(), way.label()));
        row.add(Long.toString(all.groups()));
        row.add(all.groups() == 0 ? "–" : Grid.cell("%.0f", MILLIS * all.meanGroupSeconds()));
        row.add(
            way.isByAgent()
                ? spread(passes.spread(load, way, WriteFindings::writtenMillis), "%.0f")
                : "–");
        row.add(spread(passes.spread(load, way, WriteFindings::knownMillis), "%.0f"));
        row.add(way.isByAgent() ? timesImmediate(load, way) : "–");
        rows.add(row);
      }
    }
    return new Grid(
        List.of(
            "parity",
            "by",
            "groups deferred",
            "each without, ms",
            "written, ms",
            "known, ms",
            "MB/s × immediate"),
        rows);
  }

  private static double writtenMillis(Pass pass) {
    return MILLIS * pass.parity().agentSeconds();
  }

  private static double knownMillis(Pass pass) {
    return MILLIS * pass.parity().knownSeconds();
  }

  private String timesImmediate(Load load, Way way) {
    double immediate = passes.median(load, Way.IMMEDIATE, Pass::megabytesPerSecond);
    return Grid.cell("%.2f", passes.median(load, way, Pass::megabytesPerSecond) / immediate);
  }

  private static double millis(Pass pass, double percentile) {
    return pass.micros(percentile) / MICROS_PER_MILLI;
  }

  private static Grid grid(List<String> own, List<List<String>> rows) {
    List<String> head = new ArrayList<>(own);
    head.addAll(COSTS);
    return new Grid(head, rows);
  }

  private List<String> costs(Load load, Way way) {
    return List.of(
        median(load, way, Pass::clientCpuPerGigabyte, "%.3f"),
        median(load, way, Pass::agentCpuPerGigabyte, "%.3f"),
        median(load, way, Pass::dataNodeCpuPerGigabyte, "%.3f"),
        median(load, way, Pass::loopbackPerByte, "%.4f"),
        median(load, way, Pass::devicePerByte, "%.4f"),
        median(load, way, Pass::linksPerByte, "%.4f"),
        median(load, way, Pass::slotsPerByte, "%.2f"),
        median(load, way, Pass::slotCpuPerGigabyte, "%.3f"),
        way == Way.STOCK ? "–" : median(load, way, Pass::percentByWay, "%.1f %%"));
  }

  private String median(Load load, Way way, ToDoubleFunction<Pass> figure, String format) {
    return Grid.cell(format, passes.median(load, way, figure));
  }

  private String timesStock(Load load, Way way, ToDoubleFunction<Pass> figure) {
    double stock = passes.median(load, Way.STOCK, figure);
    return Grid.cell("%.2f", passes.median(load, way, figure) / stock);
  }

  private static String spread(Spread spread, String format) {
    return Grid.cell(
        format + " (" + format + "–" + format + ")", spread.median(), spread.min(), spread.max());
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    notes.add(
        "Median (and range) of "
            + benchmark.plan().rounds()
            + " rounds, after one that was not measured; the ways take turns."
            + (isCoded() ? "" : " × 3: replicas.")
            + " One client JVM for each way lives over all rounds. Behind each pass stock HDFS read"
            + " the files, and their SHA-256 was compared with what was written.");
    notes.add(warmUpNote());
    if (isCoded()) {
      notes.add(parityNote());
    }
    notes.addAll(commonNotes());
    return notes;
  }

  private String warmUpNote() {
    if (benchmark.warmedUp().isEmpty()) {
      return "Nothing warmed up but the round that was not measured (--warm-up 0): the DataNodes'"
          + " JVMs are young, and compile what they do while they are measured.";
    }
    Output output = benchmark.plan().warmUpLoad().output();
    return benchmark.warmedUp().entrySet().stream()
        .map(entry -> entry.getValue().by(entry.getKey()))
        .collect(
            Collectors.joining(
                "; ",
                "Warm-up: before the rounds each DataNode stored blocks of "
                    + Sizes.label(output.blockBytes())
                    + ": ",
                "."));
  }

  private static String parityNote() {
    return "Parity: stock HDFS makes it in the client, RDIO in the agent. Deferred: groups that"
        + " were committed before their parity, of all rounds, and how long each of them was"
        + " without it on average; a group of which a data block is empty is never one."
        + " Written, known: from the end of a pass until the agent had written all parity,"
        + " and until the NameNode knew of every block of every group. CPU and bytes on"
        + " loopback of a pass go on until it was written; its time does not. Nobody read"
        + " parity, or decoded anything by it.";
  }

  private List<String> commonNotes() {
    return List.of(
        "Objects: the time from create to close; p99 of all rounds together. When a close returns,"
            + " what RDIO wrote is on the devices; what stock HDFS wrote is in the DataNodes' page"
            + " caches. Its bytes on devices are counted until they are there, its time is not."
            + " Objects below "
            + Sizes.label(benchmark.plan().smallBytes())
            + " are left to stock HDFS by RDIO, too.",
        "CPU: user and system time of the processes, all DataNodes together, for each GB of the file;"
            + " the kernel's own threads, such as those of loop devices, which write back what stock"
            + " HDFS wrote, are in no figure. Links: loopback and all volumes' devices, reads and"
            + " writes. GB, MB: 10^9, 10^6 bytes.",
        PhaseTable.NOTE,
        ThreadTable.NOTE,
        slotNote());
  }

  private String slotNote() {
    long made = benchmark.seen().getOrDefault(Seen.SLOTS_MADE, 0L);
    long zeroed = benchmark.seen().getOrDefault(Seen.SLOTS_ZEROED, 0L);
    String how =
        zeroed == 0
            ? "by the devices themselves (FALLOC_FL_WRITE_ZEROES): no zeros crossed to them"
            : zeroed == made
                ? "of zeros by O_DIRECT, which cross to the device as data does"
                : zeroed + " of " + made + " of zeros by O_DIRECT, the others by the devices";
    return "Slots: bytes that the DataNodes made anew for what a pass took, for each byte written,"
        + " and their CPU from its end until the pools were full again; in no other figure but that"
        + " what was made during a pass took CPU and device time meanwhile. Pools were full before"
        + " each pass. The slots were made "
        + how
        + ".";
  }
}
