// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.processes;

import io.rdio.bench.hdfs.Crowd;
import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.processes.ProcessesBenchmark.Seen;
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
    Map<String, Object> fields = new LinkedHashMap<>();
    benchmark.seen().forEach((what, n) -> fields.put(what.name().toLowerCase(Locale.ROOT), n));
    fields.put("scenes", Figures.points(passes, scene -> Map.of("scene", scene.toString())));
    return Findings.of(
        List.of(
            new Section("", null, jobs(), ""),
            new Section("", null, crowds(), ""),
            new Section("", null, memory(), "")),
        notes(),
        fields);
  }

  private List<String> notes() {
    return List.of(
        "Median (and range) of "
            + benchmark.rounds()
            + " rounds, the ways in turn. By this way: share of the bytes that came by the way that"
            + " the row names; for the job by what crossed the loopback interface, which only stock"
            + " HDFS's bytes do, for the crowd by the clients' counters. Of tasks below 64 MiB it is not"
            + " judged: RDIO leaves the first reads of a block to stock HDFS. Compared with what was"
            + " written: "
            + benchmark.verified()
            + ".",
        "Job: "
            + benchmark.tasks()
            + " fresh JVMs, as many at the same time as there are cores, each of which reads a file"
            + " of its own to nowhere by 'hdfs dfs -cat'; CPU of all of them, of the DataNode and of"
            + " the agent; × stock: the first row. Quick JVMs: with -XX:TieredStopAtLevel=1"
            + " -XX:+UseSerialGC, as docs/operations.md has it for short tasks. Of 1 KiB each:"
            + " 'hdfs dfs -head', which is what a JVM takes, whoever reads.",
        "Crowd: reads of 64 KiB at random by "
            + benchmark.readers()
            + " threads of one JVM that opens the device, and by as many processes of one thread that"
            + " ask the agent; the time from their common start, with all files open, to the end of"
            + " the last one. Each process had made "
            + benchmark.seen().getOrDefault(Seen.READS_BEFORE, 0L)
            + " reads or more before, the threads had read for some seconds."
            + coldness()
            + " Memory: most that was resident, of the agent and of the largest process of the crowd.");
  }

  /** Many processes on few cores are compiling for longer than a run waits for them. */
  private String coldness() {
    return benchmark.seen().getOrDefault(Seen.READS_BEFORE, 0L) >= Crowd.WARM_READS
        ? ""
        : " THESE WERE TOO FEW: the processes were still compiling their code while they were"
            + " measured, so that their MB/s and CPU are of cold processes; fix: fewer --readers.";
  }

  private Grid jobs() {
    double stock = passes.median(Scene.JOB, Way.STOCK, ProcessesFindings::cpuSeconds);
    double stockSeconds = passes.median(Scene.JOB, Way.STOCK, ProcessesFindings::seconds);
    List<List<String>> rows = new ArrayList<>();
    for (Scene scene : List.of(Scene.JOB, Scene.QUICK_JOB, Scene.BARE_JOB)) {
      for (Way way : passes.ways(scene)) {
        double cpu = passes.median(scene, way, ProcessesFindings::cpuSeconds);
        double seconds = passes.median(scene, way, ProcessesFindings::seconds);
        rows.add(
            List.of(
                scene.toString(),
                way.label(),
                spread(scene, way, ProcessesFindings::seconds, "%.1f"),
                Grid.cell("%.2f", seconds / stockSeconds),
                spread(scene, way, ProcessesFindings::cpuSeconds, "%.1f"),
                Grid.cell("%.2f", cpu / stock),
                cell(scene, way, pass -> pass.answer().totals().cpuSeconds()),
                cell(scene, way, Pass::dataNodeCpuSeconds),
                cell(scene, way, Pass::agentCpuSeconds),
                byThisWay(scene, way)));
      }
    }
    return new Grid(
        List.of(
            "scene",
            "by",
            "seconds",
            "× stock",
            "CPU s",
            "× stock",
            "of tasks",
            "of DataNode",
            "of agent",
            "by this way"),
        rows);
  }

  private String cell(Scene scene, Way way, ToDoubleFunction<Pass> figure) {
    return Grid.cell("%.1f", passes.median(scene, way, figure));
  }

  private String byThisWay(Scene scene, Way way) {
    return Grid.cell("%.1f %%", passes.median(scene, way, Pass::percentByWay));
  }

  private static double seconds(Pass pass) {
    return pass.answer().totals().seconds();
  }

  private static double cpuSeconds(Pass pass) {
    return pass.answer().totals().cpuSeconds() + pass.dataNodeCpuSeconds() + pass.agentCpuSeconds();
  }

  private Grid crowds() {
    double threads = passes.median(Scene.CROWD, Way.RDIO, Pass::megabytesPerSecond);
    List<List<String>> rows = new ArrayList<>();
    for (Way way : passes.ways(Scene.CROWD)) {
      double speed = passes.median(Scene.CROWD, way, Pass::megabytesPerSecond);
      rows.add(
          List.of(
              way == Way.AGENT ? "processes, agent" : "threads, device",
              spread(Scene.CROWD, way, Pass::megabytesPerSecond, "%.0f"),
              Grid.cell("%.2f", speed / threads),
              Grid.cell("%.3f", passes.median(Scene.CROWD, way, Pass::clientCpuPerGigabyte)),
              Grid.cell("%.3f", passes.median(Scene.CROWD, way, Pass::agentCpuPerGigabyte)),
              byThisWay(Scene.CROWD, way)));
    }
    return new Grid(
        List.of("crowd", "MB/s", "× threads of a JVM", "clients s/GB", "agent s/GB", "by this way"),
        rows);
  }

  private Grid memory() {
    return new Grid(
        List.of("memory", "MiB"),
        List.of(
            List.of("agent", mebibytes(Seen.AGENT_PEAK_BYTES)),
            List.of("largest process of the crowd", mebibytes(Seen.LARGEST_CLIENT_PEAK_BYTES))));
  }

  private String mebibytes(Seen peak) {
    return Grid.cell("%.0f", benchmark.seen().getOrDefault(peak, 0L) / MEBIBYTE);
  }

  private String spread(Scene scene, Way way, ToDoubleFunction<Pass> figure, String format) {
    Spread spread = passes.spread(scene, way, figure);
    return Grid.cell(
        format + " (" + format + "–" + format + ")", spread.median(), spread.min(), spread.max());
  }
}
