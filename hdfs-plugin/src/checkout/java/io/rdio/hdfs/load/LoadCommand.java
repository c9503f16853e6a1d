// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.load;

import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rdio load}: options, and the cluster from its start to its removal. */
@Command(
    name = "load",
    mixinStandardHelpOptions = true,
    description = {
      "Keeps a throwaway cluster on this machine busy, for Prometheus to look at.",
      "Two DataNodes, of which one cannot open RDIO's port, and an agent; streams, reads by position,"
          + " small files, appends, deletions and short processes, some of them by stock HDFS."
          + " Removes everything in the end. bin/rdio dashboard draws what Prometheus makes of it."
    })
public final class LoadCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "how long it is busy (default: ${DEFAULT-VALUE})")
  private int seconds = 120;

  @Option(
      names = "--targets",
      paramLabel = "FILE",
      description = "write there what to scrape, for Prometheus's file_sd_configs, before the load")
  private @Nullable Path targets;

  @Override
  public Integer call() throws IOException {
    if (seconds <= 0 && spec != null) {
      throw new ParameterException(
          spec.commandLine(), "--seconds " + seconds + ": must be greater than 0");
    }
    return ClusterCommand.run(this::run);
  }

  private int run() throws IOException {
    System.out.println("Starting a NameNode, two DataNodes and the agent of this host...");
    try (ScrapedCluster cluster = ScrapedCluster.start()) {
      try (FileSystem fs = cluster.fileSystem(false)) {
        Applications.writeFiles(fs);
      }
      System.out.printf(
          "Busy for %d s. What Prometheus scrapes, for file_sd_configs:%n%s",
          seconds, text(cluster));
      if (targets != null) {
        publish(cluster, targets);
      }
      new MixedLoad(cluster, Duration.ofSeconds(seconds)).run();
      System.out.println("Removing the cluster...");
    }
    return 0;
  }

  private static String text(ScrapedCluster cluster) {
    return cluster.targets() + "\n";
  }

  /** Whole at once, for Prometheus looks at the file as soon as it is there. */
  private static void publish(ScrapedCluster cluster, Path file) throws IOException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Files.writeString(part, text(cluster));
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
