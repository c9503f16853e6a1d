// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.processes;

import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.processes.ProcessesBenchmark.Memory;
import io.rdio.bench.report.Grid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What a run of {@code bench processes} found. */
record ProcessesFindings(ProcessesBenchmark benchmark, Passes<Scene> passes) {
  private static final double MEBIBYTE = 1 << 20;

  Findings all() {
    Map<String, Object> peaks = new LinkedHashMap<>();
    benchmark
        .peaks()
        .forEach((whose, bytes) -> peaks.put(whose.name().toLowerCase(Locale.ROOT), bytes));
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("peak_memory_bytes", peaks);
    fields.put("scenes", Figures.points(passes, scene -> Map.of("scene", scene.toString())));
    return Findings.of(
        List.of(
            new Section("", null, jobs(), ""),
            new Section("", null, crowds(), ""),
            new Section("", null, memory(), "")),
        List.of(note()),
        fields);
  }

  private String note() {
    return "Median (and range) of "
        + benchmark.rounds()
        + " rounds, the ways in turn. Job: "
        + benchmark.tasks()
        + " fresh JVMs, as many at the same time as there are cores, each of which reads a file of"
        + " its own to nowhere; CPU of all of them, of the DataNode and of the agent. Crowd: reads of"
        + " 64 KiB at random by "
        + benchmark.readers()
        + " threads of one JVM that opens the device, and by as many processes that ask the agent."
        + " Memory: most that was resident, of the agent and of the largest process of the crowd.";
  }

  private Grid jobs() {
    double stock = passes.median(Scene.JOB, Way.STOCK, ProcessesFindings::cpuSeconds);
    double stockSeconds = passes.median(Scene.JOB, Way.STOCK, ProcessesFindings::seconds);
    List<List<String>> rows = new ArrayList<>();
    for (Way way : passes.ways(Scene.JOB)) {
      double cpu = passes.median(Scene.JOB, way, ProcessesFindings::cpuSeconds);
      double seconds = passes.median(Scene.JOB, way, ProcessesFindings::seconds);
      rows.add(
          List.of(
              way.label(),
              spread(Scene.JOB, way, ProcessesFindings::seconds, "%.1f"),
              Grid.cell("%.2f", seconds / stockSeconds),
              spread(Scene.JOB, way, ProcessesFindings::cpuSeconds, "%.1f"),
              Grid.cell("%.2f", cpu / stock),
              cell(way, pass -> pass.answer().cpuSeconds()),
              cell(way, Pass::dataNodeCpuSeconds),
              cell(way, Pass::agentCpuSeconds)));
    }
    return new Grid(
        List.of(
            "job", "seconds", "× stock", "CPU s", "× stock", "of tasks", "of DataNode", "of agent"),
        rows);
  }

  private String cell(Way way, ToDoubleFunction<Pass> figure) {
    return Grid.cell("%.1f", passes.median(Scene.JOB, way, figure));
  }

  private static double seconds(Pass pass) {
    return pass.answer().seconds();
  }

  private static double cpuSeconds(Pass pass) {
    return pass.answer().cpuSeconds() + pass.dataNodeCpuSeconds() + pass.agentCpuSeconds();
  }

  private Grid crowds() {
    double threads = passes.median(Scene.CROWD, Way.RDIO, Pass::megabytesPerSecond);
    List<List<String>> rows = new ArrayList<>();
    for (Way way : passes.ways(Scene.CROWD)) {
      double speed = passes.median(Scene.CROWD, way, Pass::megabytesPerSecond);
      rows.add(
          List.of(
              way.label(),
              spread(Scene.CROWD, way, Pass::megabytesPerSecond, "%.0f"),
              Grid.cell("%.2f", speed / threads),
              Grid.cell("%.3f", passes.median(Scene.CROWD, way, Pass::clientCpuPerGigabyte)),
              Grid.cell("%.3f", passes.median(Scene.CROWD, way, Pass::agentCpuPerGigabyte))));
    }
    return new Grid(
        List.of("crowd", "MB/s", "× threads of a JVM", "clients s/GB", "agent s/GB"), rows);
  }

  private Grid memory() {
    List<List<String>> rows = new ArrayList<>();
    for (Map.Entry<Memory, Long> peak : benchmark.peaks().entrySet()) {
      String whose = peak.getKey() == Memory.AGENT ? "agent" : "largest client";
      rows.add(List.of(whose, Grid.cell("%.0f", peak.getValue() / MEBIBYTE)));
    }
    return new Grid(List.of("memory", "MiB"), rows);
  }

  private String spread(Scene scene, Way way, ToDoubleFunction<Pass> figure, String format) {
    Spread spread = passes.spread(scene, way, figure);
    return Grid.cell(
        format + " (" + format + "–" + format + ")", spread.median(), spread.min(), spread.max());
  }
}
