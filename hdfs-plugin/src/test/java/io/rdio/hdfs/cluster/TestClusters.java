// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Where the build puts what integration tests run: Hadoop's class paths and the shaded jar. */
public final class TestClusters {
  private TestClusters() {}

  /** The jar that users install. */
  public static Path jar() {
    return Path.of(System.getProperty("rdio.jar"));
  }

  /** What only checkouts run, behind the jar that users install. */
  public static Path checkoutJar() {
    return Path.of(System.getProperty("rdio.checkout.jar"));
  }

  /** One of Hadoop's class paths without RDIO: hadoop-3.5, hadoop-3.4 or hadoop-3.4-shaded. */
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
   * A cluster of the build's Hadoop with the jar that users install; test classes too, for those
   * that are clients in a JVM of their own. Clients wait for their maps, so that what RDIO must
   * have read is the same in each run.
   */
  public static ClusterBuilder builder() throws IOException {
    Path testClasses = Path.of(System.getProperty("rdio.class-path.folder"), "test-classes");
    return Cluster.builder()
        .set(RdioConfigKeys.CLIENT_FIRST_BYTES_KEY, "0")
        .classPath(
            hadoop("hadoop-3.5")
                .with(jar().toString())
                .with(checkoutJar().toString())
                .with(testClasses.toString()));
  }
}
