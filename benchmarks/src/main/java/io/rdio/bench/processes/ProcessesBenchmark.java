// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.processes;

import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Crowd;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.FreshJvms;
import io.rdio.bench.hdfs.Job;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A job of tasks by each way in turn, then a crowd.
 *
 * @param tasks of a job, each a JVM that reads a file of its own
 * @param taskBytes of each of these files
 * @param readers of the crowd
 * @param seconds of each pass of the crowd
 * @param rounds of each that are measured, behind one that is not
 * @param seen what was seen besides what the passes have; filled by the run
 */
record ProcessesBenchmark(
    int tasks, long taskBytes, int readers, double seconds, int rounds, Map<Seen, Long> seen)
    implements ClusterBenchmark<Scene> {
  static final List<Way> JOB_WAYS = List.of(Way.STOCK, Way.RDIO, Way.AGENT);
  static final List<Way> OTHER_JOB_WAYS = List.of(Way.STOCK, Way.AGENT);
  static final List<Way> CROWD_WAYS = List.of(Way.RDIO, Way.AGENT);

  /** What the crowd asks for at a time. */
  private static final int READ_BYTES = 64 << 10;

  /** As docs/operations.md has them: compile quickly, and one thread to collect garbage. */
  private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  /**
   * With less for each task, what RDIO leaves to stock HDFS at first, and what all ask the
   * NameNode, is more than a hundredth.
   */
  private static final long SHARE_COUNTS_FROM = 64L << 20;

  /** What was seen once. */
  enum Seen {
    /** Most memory of the agent that was resident, in bytes. */
    AGENT_PEAK_BYTES,
    /** The same of the process of the crowd that had most. */
    LARGEST_CLIENT_PEAK_BYTES,
    /** Reads that each process of the crowd had made, or more, before it was measured. */
    READS_BEFORE
  }

  ProcessesBenchmark(int tasks, long taskBytes, int readers, double seconds, int rounds) {
    this(tasks, taskBytes, readers, seconds, rounds, new EnumMap<>(Seen.class));
    Checks.requireOneOrMore("--tasks", tasks);
    Checks.requireOneOrMore("--readers", readers);
    Checks.requireOneOrMore("--rounds", rounds);
    Checks.requirePositive("--seconds", seconds);
    if (taskBytes < READ_BYTES) {
      throw new IllegalArgumentException(
          "--task-size " + taskBytes + ": less than a read of the crowd, " + READ_BYTES + " bytes");
    }
  }

  @Override
  public long bytes() {
    return tasks * taskBytes;
  }

  @Override
  public long jvmBytes() {
    return readers * Crowd.BYTES_EACH;
  }

  @Override
  public String verified() {
    return "the first file by a fresh JVM of each way, all files by the JVM of the crowd's threads";
  }

  @Override
  public void run(BenchCluster cluster, Passes<Scene> passes) throws IOException {
    List<String> files = cluster.write("/processes/task-", tasks, taskBytes);
    cluster.startAgent();
    measureJobs(cluster, passes, files);
    measureCrowds(cluster, passes, files);
  }

  private void measureJobs(BenchCluster cluster, Passes<Scene> passes, List<String> files)
      throws IOException {
    FreshJvms jvms = cluster.freshJvms();
    for (Way way : JOB_WAYS) {
      jvms.verify(way, files.get(0));
    }
    if (taskBytes < SHARE_COUNTS_FROM) {
      passes.anyWay(Scene.JOB);
      passes.anyWay(Scene.QUICK_JOB);
    }
    passes.anyWay(Scene.BARE_JOB);
    int atOnce = Runtime.getRuntime().availableProcessors();
    for (int round = 0; round <= rounds; round++) {
      sayRound(cluster, "jobs", round);
      // What lives longer than a task is warm behind a few of them.
      List<String> some = round == 0 ? files.subList(0, Math.min(atOnce, tasks)) : files;
      Job job = Job.cat(some, taskBytes, atOnce);
      passes.round(round, Scene.JOB, JOB_WAYS, way -> jvms.measure(way, job));
      passes.round(
          round, Scene.QUICK_JOB, OTHER_JOB_WAYS, way -> jvms.measure(way, job.with(QUICK)));
      passes.round(round, Scene.BARE_JOB, OTHER_JOB_WAYS, way -> jvms.measure(way, job.bare()));
    }
  }

  private void measureCrowds(BenchCluster cluster, Passes<Scene> passes, List<String> files)
      throws IOException {
    cluster.startClients(List.of(Way.RDIO), files);
    cluster.say("Starting a crowd of " + readers + " processes, and warming them up...");
    Crowd crowd = cluster.startCrowd(readers);
    seen.put(Seen.READS_BEFORE, crowd.warmUp(files, READ_BYTES));
    for (int round = 0; round <= rounds; round++) {
      sayRound(cluster, "the crowd", round);
      int places = round;
      double longest = round == 0 ? Math.max(seconds, Crowd.WARM_UP_SECONDS) : seconds;
      Task threads = Task.positional(files, readers, List.of(READ_BYTES), 0, longest, round);
      passes.round(
          round,
          Scene.CROWD,
          CROWD_WAYS,
          way ->
              way == Way.AGENT
                  ? crowd.measure(files, READ_BYTES, seconds, places)
                  : cluster.measurePrepared(way, threads));
    }
    seen.put(Seen.AGENT_PEAK_BYTES, cluster.agentPeakBytes());
    seen.put(Seen.LARGEST_CLIENT_PEAK_BYTES, crowd.peakBytes());
  }

  private void sayRound(BenchCluster cluster, String what, int round) {
    cluster.say(
        round == 0
            ? "Warming up by a round of " + what + "..."
            : "Round " + round + " of " + rounds + ": " + what + "...");
  }

  @Override
  public String describe() {
    return String.format(
        Locale.ROOT,
        "%d tasks of %s, %d readers, rounds: %d",
        tasks,
        Sizes.label(taskBytes),
        readers,
        rounds);
  }

  @Override
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("tasks", tasks);
    fields.put("task_bytes", taskBytes);
    fields.put("readers", readers);
    fields.put("seconds", seconds);
    fields.put("rounds", rounds);
    return fields;
  }

  @Override
  public Findings findings(Passes<Scene> passes, ClusterOptions where) {
    return new ProcessesFindings(this, passes).all();
  }
}
