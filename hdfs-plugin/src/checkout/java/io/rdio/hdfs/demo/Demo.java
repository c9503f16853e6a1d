// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.hdfs.cluster.AgentDaemon;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import io.rdio.hdfs.demo.ReadPass.Side;
import io.rdio.hdfs.demo.ReadPass.Way;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;

/** One run of the demo, from nothing to nothing. */
final class Demo {
  private static final String FILE = "/demo/random";
  private static final String WARM_UP_FILE = "/demo/warm-up";
  private static final long WARM_UP_BYTES = 16L << 20;
  private static final long MEGABYTE = 1_000_000;

  /** Checksums, the file system's own blocks and journal, and space for blocks being written. */
  private static final long VOLUME_SPARE_BYTES = 1L << 30;

  private Demo() {}

  /**
   * Takes one to a few minutes.
   *
   * @param keep leave the cluster up and say how to use it
   * @param out takes the progress and the figures
   */
  static DemoResult run(
      String fileSystem, long bytes, Backing backing, boolean keep, PrintStream out)
      throws IOException {
    out.printf(
        "Starting a NameNode and a DataNode with %s on a loop device (%s)...%n",
        fileSystem, backing == Backing.TMPFS ? "in memory" : "on disk");
    try (Cluster cluster =
        Cluster.builder()
            .folderPrefix("rdio-demo-")
            .fileSystem(fileSystem)
            .volumeBytes(bytes + bytes / 16 + VOLUME_SPARE_BYTES)
            .backing(backing)
            .start()) {
      String written = write(cluster, FILE, bytes, new Progress(out, "write", bytes));
      out.println("Warming up the DataNode, by a small file and both ways...");
      write(cluster, WARM_UP_FILE, WARM_UP_BYTES, silent());
      warmUp(cluster, Side.STOCK);
      warmUp(cluster, Side.RDIO);
      List<ReadPass> passes = new ArrayList<>();
      for (Side side : Side.values()) {
        if (side == Side.AGENT) {
          out.println("Starting the agent of this host...");
          AgentDaemon.start(cluster);
          warmUp(cluster, side);
        }
        for (Way way : Way.values()) {
          Progress progress = new Progress(out, side.label + ": " + way.label, bytes);
          passes.add(ReadPass.run(cluster, FILE, bytes, way, side, progress));
        }
      }
      DemoResult result = new DemoResult(written, passes);
      out.print(result.table());
      if (keep) {
        explainKept(cluster, bytes, out);
      } else {
        out.println("Removing the cluster...");
      }
      return result;
    }
  }

  private static String write(Cluster cluster, String name, long bytes, Progress progress)
      throws IOException {
    try (FileSystem fs = cluster.fileSystem(false);
        OutputStream file = fs.create(new org.apache.hadoop.fs.Path(name))) {
      return RandomContent.write(file, bytes, progress);
    }
  }

  /** A daemon that has just started loads and compiles its classes on some side's account. */
  private static void warmUp(Cluster cluster, Side side) throws IOException {
    ReadPass.run(cluster, WARM_UP_FILE, WARM_UP_BYTES, Way.OPEN, side, silent());
  }

  private static Progress silent() {
    return new Progress(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8), "", 1);
  }

  private static void explainKept(Cluster cluster, long bytes, PrintStream out) throws IOException {
    cluster.keep();
    out.print(
        """

        The cluster stays up, with a file of %d MB. Its NameNode: http://%s/
        All these as root:
          Read by the agent:   FOLDER/dfs rdio -cat %s | sha256sum
          Read by stock HDFS:  FOLDER/dfs stock -cat %s | sha256sum
          Other commands:      HADOOP_CONF_DIR=FOLDER/conf-rdio bin/rdio map %s
          Your own programs:   HADOOP_CONF_DIR=FOLDER/conf-rdio
          Stop and remove it:  FOLDER/stop

        """
            .replace("FOLDER", cluster.folder().toString())
            .formatted(bytes / MEGABYTE, cluster.nameNode().httpAddress(), FILE, FILE, FILE));
  }
}
