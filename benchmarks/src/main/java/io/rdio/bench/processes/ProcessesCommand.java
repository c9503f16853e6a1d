// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.processes;

import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterBenchmarkCommand;
import io.rdio.bench.hdfs.Sizes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench processes}: its options. */
@Command(
    name = "processes",
    mixinStandardHelpOptions = true,
    description = {
      "Many client processes on a host: the CPU of a job whose tasks are fresh JVMs, by stock HDFS,"
          + " by RDIO that opens the device and by the agent of the host; and what a crowd of"
          + " processes reads by the agent, against as many threads of one JVM.",
      "On a throwaway cluster on this machine. Needs root."
    })
public final class ProcessesCommand extends ClusterBenchmarkCommand<Scene> {
  @Option(
      names = "--tasks",
      paramLabel = "N",
      description = "Tasks of a job. Default: ${DEFAULT-VALUE}.")
  private int tasks = 4;

  @Option(
      names = "--task-size",
      paramLabel = "SIZE",
      description = "What each task reads. Default: ${DEFAULT-VALUE}.")
  private String taskSize = "128m";

  @Option(
      names = "--readers",
      paramLabel = "N",
      description = "Readers of the crowd. Default: ${DEFAULT-VALUE}.")
  private int readers = 64;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Seconds of each pass of the crowd. Default: ${DEFAULT-VALUE}.")
  private double seconds = 5;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds that are measured. Default: ${DEFAULT-VALUE}.")
  private int rounds = 3;

  @Override
  protected ClusterBenchmark<Scene> benchmark() {
    return new ProcessesBenchmark(tasks, Sizes.parse(taskSize), readers, seconds, rounds);
  }
}
