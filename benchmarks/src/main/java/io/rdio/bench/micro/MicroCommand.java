// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.bench.hdfs.Checks;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ClusterCommand;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import io.rdio.hdfs.demo.RandomContent;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench micro}: what each step of a warm read costs in time and in garbage. */
@Command(
    name = "micro",
    mixinStandardHelpOptions = true,
    description = {
      "Measures the steps of a read with JMH and its gc profiler: map lookup, slicing, CRC, device"
          + " reads, positional reads, a stream and where its thread spends its time; and reads by"
          + " an agent of the host that runs in the same JVM, so that its garbage counts, too; and"
          + " writes to such an agent that keeps nothing.",
      "On a throwaway cluster as 'bin/rdio demo' makes it; file maps, CRCs and code warm, checksums"
          + " on."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class MicroCommand implements Callable<Integer> {
  private static final String FILE = "/bench/micro";
  private static final List<String> BACKINGS = List.of("tmpfs", "disk");
  private static final long FILE_BYTES = 128L << 20;
  private static final long VOLUME_BYTES = 1L << 30;

  @Option(
      names = "--step",
      paramLabel = "REGEX",
      description = "Steps to measure, by name. Default: all.")
  private String step = "";

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that do it at the same time. Default: ${DEFAULT-VALUE}.")
  private int threads = 1;

  @Option(
      names = "--replicas",
      paramLabel = "N",
      description =
          "Replicas of the file. With more than one, clients have"
              + " dfs.client.rdio.routing = adaptive. Default: ${DEFAULT-VALUE}.")
  private int replicas = 1;

  @Option(
      names = "--backing",
      paramLabel = "tmpfs|disk",
      description = "What holds the loop devices. Default: ${DEFAULT-VALUE}.")
  private String backing = "tmpfs";

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try {
      Checks.requireOneOrMore("--replicas", replicas);
      if (!BACKINGS.contains(backing)) {
        throw new IllegalArgumentException(
            "--backing " + backing + ": take " + String.join(" or ", BACKINGS));
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return ClusterCommand.run(this::run);
  }

  private int run() throws IOException {
    System.out.printf(
        "Starting a NameNode and %d DataNodes with ext4 on a loop device each (%s)...%n",
        replicas, backing);
    try (Cluster cluster =
        Cluster.builder()
            .folderPrefix("rdio-bench-")
            .volumeBytes(VOLUME_BYTES)
            .backing(backing.equals("tmpfs") ? Backing.TMPFS : Backing.DISK)
            .dataNodes(replicas)
            .set("dfs.replication", Integer.toString(replicas))
            .start()) {
      try (FileSystem fs = cluster.fileSystem(false);
          OutputStream out = fs.create(new Path(FILE))) {
        RandomContent.write(out, 1, FILE_BYTES, done -> {});
      }
      print(measure(cluster));
      return 0;
    } catch (RunnerException e) {
      throw new IOException("JMH failed: " + e.getMessage(), e);
    }
  }

  private java.nio.file.Path conf(Cluster cluster) throws IOException {
    return replicas == 1
        ? cluster.confFolder(true)
        : cluster.addConfFolder(
            "conf-adaptive", true, Map.of(RdioConfigKeys.CLIENT_ROUTING.name(), "adaptive"));
  }

  private Collection<RunResult> measure(Cluster cluster) throws IOException, RunnerException {
    return new Runner(
            new OptionsBuilder()
                .include("bench.micro.(Read|Agent|Positional|Stream|Aligned|Write)Steps.*" + step)
                .threads(threads)
                .jvmArgsAppend(
                    "-Xmx1g",
                    "-D" + WarmBlock.CONF + "=" + conf(cluster),
                    "-D" + WarmBlock.FILE + "=" + FILE)
                .addProfiler(GCProfiler.class)
                .addProfiler(QueueProfiler.class)
                .shouldFailOnError(true)
                .build())
        .run();
  }

  private static void print(Collection<RunResult> results) {
    System.out.print("\n" + StepCost.HEAD);
    for (RunResult result : results) {
      System.out.print(StepCost.of(result).row());
    }
  }
}
