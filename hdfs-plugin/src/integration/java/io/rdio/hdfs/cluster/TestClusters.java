// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** Where the build puts what integration tests run: Hadoop's class paths and the shaded jar. */
public final class TestClusters {
  private static final Duration WARM_UP_MAX = Duration.ofMinutes(1);

  private TestClusters() {}

  /** The jar that users install. */
  public static Path jar() {
    return Path.of(System.getProperty("rdio.jar"));
  }

  /** What only checkouts run, behind the jar that users install. */
  public static Path checkoutJar() {
    return Path.of(System.getProperty("rdio.checkout.jar"));
  }

  /** One of Hadoop's class paths without RDIO, by the name of its folder in {@code src/it}. */
  public static HadoopClassPath hadoop(String name) throws IOException {
    return HadoopClassPath.ofFile(
        Path.of(System.getProperty("rdio.class-path.folder"), name + ".classpath"));
  }

  /**
   * The file systems of tests for which the one is much like the other: ext4, and with {@code
   * -Drdio.test.all=true}, which {@code bin/test --all} sets, xfs too.
   */
  public static List<String> fileSystems() {
    return Boolean.getBoolean("rdio.test.all") ? List.of("ext4", "xfs") : List.of("ext4");
  }

  /**
   * The lines of Hadoop that people run, by their folders in {@code src/it}: the newest of 3.3, 3.4
   * and 3.5, and with {@code -Drdio.test.all=true} the first of 3.4 that is still run.
   */
  public static List<String> hadoopLines() {
    return Boolean.getBoolean("rdio.test.all")
        ? List.of("hadoop-3.3", "hadoop-3.4.1", "hadoop-3.4", "hadoop-3.5")
        : List.of("hadoop-3.3", "hadoop-3.4", "hadoop-3.5");
  }

  /**
   * Has a cluster answer once: on a busy machine the first answer of a DataNode's JVM takes longer
   * than clients wait. Leaves a file in HDFS.
   */
  @SuppressWarnings("try") // the context is only to be closed
  public static void warmUp(Cluster cluster) throws IOException {
    Configuration conf = cluster.clientConf(true);
    conf.set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "20s");
    try (FileSystem rdio = FileSystem.newInstance(conf);
        RdioClientContext closed = RdioClientContext.get(conf)) {
      SeededFile file = SeededFile.write(rdio, "/warm-up", 1000, 1);
      Counts.awaitReadByRdio(rdio, file, WARM_UP_MAX);
    }
  }

  /**
   * A cluster of the build's Hadoop with the jar that users install; test classes too, for those
   * that are clients in a JVM of their own. Clients wait for their maps, so that what RDIO must
   * have read is the same in each run.
   */
  public static ClusterBuilder builder() throws IOException {
    ClusterBuilder builder =
        Cluster.builder()
            .set(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), "0")
            .classPath(withAllOfRdio("hadoop-3.5"));
    // Most of these JVMs live for seconds, of which the second compiler takes half the processor.
    return Boolean.getBoolean("rdio.test.all")
        ? builder
        : builder.option("-XX:TieredStopAtLevel=1");
  }

  /** One of Hadoop's class paths with the jar that users install, and test classes. */
  public static HadoopClassPath withAllOfRdio(String name) throws IOException {
    Path testClasses = Path.of(System.getProperty("rdio.class-path.folder"), "test-classes");
    return hadoop(name)
        .with(jar().toString())
        .with(checkoutJar().toString())
        .with(testClasses.toString());
  }
}
