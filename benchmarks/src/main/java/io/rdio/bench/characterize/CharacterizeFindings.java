// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.characterize;

import io.rdio.bench.characterize.Anova.Effect;
import io.rdio.bench.characterize.Anova.Observation;
import io.rdio.bench.characterize.CharacterizeBenchmark.Cell;
import io.rdio.bench.characterize.CharacterizeBenchmark.Operation;
import io.rdio.bench.characterize.CharacterizeBenchmark.Placement;
import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Grid;
import io.rdio.bench.report.SvgBoxes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What a run of {@code bench characterize} found. */
record CharacterizeFindings(Passes<Cell> passes) {
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double LEAST_P = 0.0001;
  private static final double PERCENT = 100;
  private static final List<String> FACTORS =
      List.of("placement", "scheduler", "tasks", "pattern", "way");

  Findings all() {
    List<Section> sections = new ArrayList<>();
    for (Placement placement : Placement.values()) {
      sections.add(new Section("Average latency, " + placement, null, averages(placement), ""));
    }
    for (Operation operation : Operation.values()) {
      List<Observation> observations = observations(operation);
      if (observations.isEmpty()) {
        continue;
      }
      sections.add(
          new Section("Analysis of variance, " + operation, null, variance(observations), ""));
      SvgBoxes boxes = new SvgBoxes("averages of runs, " + operation + "s", "µs", boxes(operation));
      sections.add(new Section("Box plots, " + operation, null, boxes, null, ""));
    }
    return Findings.of(sections, notes(), fields());
  }

  private Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("points", Figures.points(passes, CharacterizeFindings::fields));
    fields.put("averages", averages());
    Map<String, Object> analyses = new LinkedHashMap<>();
    for (Operation operation : Operation.values()) {
      List<Observation> observations = observations(operation);
      if (!observations.isEmpty()) {
        analyses.put(
            operation.toString(),
            effects(observations).stream().map(CharacterizeFindings::fields).toList());
      }
    }
    fields.put("analysis_of_variance", analyses);
    return fields;
  }

  private static Map<String, Object> fields(Cell cell) {
    Map<String, Object> fields = new LinkedHashMap<>(cell.levels(Way.STOCK));
    fields.remove("way"); // which is below
    fields.put("operation", cell.operation().toString());
    return fields;
  }

  private List<Map<String, Object>> averages() {
    List<Map<String, Object>> averages = new ArrayList<>();
    for (Cell cell : passes.keys()) {
      for (Way way : passes.ways(cell)) {
        Map<String, Object> fields = new LinkedHashMap<>(cell.levels(way));
        fields.put("operation", cell.operation().toString());
        fields.put("average_us", average(cell, way));
        double share = shareByRdio(passes.of(cell, way));
        if (way == Way.AGENT && !Double.isNaN(share)) {
          fields.put("agent_share_written", share);
        }
        averages.add(fields);
      }
    }
    return averages;
  }

  /** The mean of its runs' averages, in microseconds. */
  private double average(Cell cell, Way way) {
    return passes.of(cell, way).stream()
        .mapToDouble(CharacterizeFindings::micros)
        .average()
        .orElse(Double.NaN);
  }

  private static Map<String, Object> fields(Effect effect) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("source", effect.source());
    fields.put("degrees", effect.degrees());
    fields.put("eta_squared", effect.etaSquared());
    fields.put("f", effect.f());
    fields.put("p", effect.p());
    return fields;
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>(method());
    List<Pass> writes =
        passes.keys().stream()
            .filter(cell -> cell.operation() == Operation.WRITE)
            .flatMap(cell -> passes.of(cell, Way.AGENT).stream())
            .toList();
    double share = shareByRdio(writes);
    if (!Double.isNaN(share)) {
      notes.add(
          String.format(
              Locale.ROOT,
              "By the agent went %.1f %% of what its way wrote; the rest, for which there was no"
                  + " slot, by stock HDFS. What it wrote is on the device when its close returns,"
                  + " what stock HDFS wrote in page caches.",
              PERCENT * share));
    }
    return notes;
  }

  /** What went by RDIO of the bytes that passes wrote; NaN if they wrote none. */
  private static double shareByRdio(List<Pass> writes) {
    return (double) writes.stream().mapToLong(pass -> pass.answer().written().byRdio()).sum()
        / writes.stream().mapToLong(pass -> pass.answer().written().bytes()).sum();
  }

  private static List<String> method() {
    return List.of(
        "Each task is a thread of one client that asks again as soon as it has its answer. A read"
            + " is positional: in order from a place of each task's own (sequential), or anywhere."
            + " A write is a new file of the same size, from create to close, by stock HDFS or by"
            + " the agent, to a slot that was made before. Latencies are averages of runs; their"
            + " logarithms are analysed, since factors multiply them. η² is a source's share of all"
            + " variance; repeats are what remains within a combination.",
        "Slow is a device whose reads for the DataNode, the agent and the clients are held to a"
            + " rate by the kernel (blkio); writes are not held up, but for what a Commit of the"
            + " agent's reads back. The paper's third placement, metadata on the fast device and"
            + " data on the slow one, is not run: a block's meta file lies beside it, and the"
            + " NameNode's metadata are in memory.",
        "Of the schedulers bfq stands for the paper's CFQ, mq-deadline for deadline, none for noop;"
            + " kyber has no counterpart in it.");
  }

  private static double micros(Pass pass) {
    return pass.answer().histogram().getMean() / NANOS_PER_MICRO;
  }

  /** Means of runs: rows are schedulers and tasks, columns the rest. */
  private Grid averages(Placement placement) {
    Map<String, Map<String, String>> rows = new TreeMap<>();
    Map<String, String> columns = new TreeMap<>();
    for (Cell cell : passes.keys()) {
      if (cell.placement() != placement) {
        continue;
      }
      for (Way way : passes.ways(cell)) {
        String column =
            String.join(" ", cell.operation().toString(), cell.pattern().toString(), way.label());
        columns.put(column, column);
        rows.computeIfAbsent(
                cell.scheduler() + ", " + cell.tasks() + " tasks", key -> new TreeMap<>())
            .put(column, Grid.cell("%.0f", average(cell, way)));
      }
    }
    List<String> head = new ArrayList<>(List.of("µs"));
    head.addAll(columns.keySet());
    List<List<String>> cells = new ArrayList<>();
    rows.forEach(
        (name, values) -> {
          List<String> row = new ArrayList<>(List.of(name));
          columns.keySet().forEach(column -> row.add(values.getOrDefault(column, "–")));
          cells.add(row);
        });
    return new Grid(head, cells);
  }

  private List<Observation> observations(Operation operation) {
    List<Observation> observations = new ArrayList<>();
    for (Cell cell : passes.keys()) {
      if (cell.operation() == operation) {
        for (Way way : passes.ways(cell)) {
          for (Pass pass : passes.of(cell, way)) {
            observations.add(new Observation(cell.levels(way), Math.log(micros(pass))));
          }
        }
      }
    }
    return observations;
  }

  /** Of the factors that have more than one level in these. */
  private static List<Effect> effects(List<Observation> observations) {
    List<String> factors =
        FACTORS.stream()
            .filter(
                factor ->
                    observations.stream().map(one -> one.level(factor)).distinct().count() > 1)
            .toList();
    return Anova.of(factors, observations);
  }

  private static Grid variance(List<Observation> observations) {
    List<List<String>> rows =
        effects(observations).stream()
            .map(
                effect ->
                    List.of(
                        effect.source(),
                        Long.toString(effect.degrees()),
                        Grid.cell("%.4f", effect.etaSquared()),
                        Double.isNaN(effect.f()) ? "" : Grid.cell("%.1f", effect.f()),
                        probability(effect.p())))
            .toList();
    return new Grid(List.of("source", "degrees of freedom", "η²", "F", "p"), rows);
  }

  private static String probability(double p) {
    if (Double.isNaN(p)) {
      return "";
    }
    return p < LEAST_P ? "< 0.0001" : Grid.cell("%.4f", p);
  }

  private Map<String, List<Double>> boxes(Operation operation) {
    Map<String, List<Double>> boxes = new TreeMap<>();
    for (Cell cell : passes.keys()) {
      if (cell.operation() == operation) {
        for (Way way : passes.ways(cell)) {
          String name =
              String.join(
                  ", ",
                  cell.placement().toString(),
                  cell.pattern().toString(),
                  cell.scheduler(),
                  way.label());
          boxes
              .computeIfAbsent(name, key -> new ArrayList<>())
              .addAll(passes.of(cell, way).stream().map(CharacterizeFindings::micros).toList());
        }
      }
    }
    return boxes;
  }
}
