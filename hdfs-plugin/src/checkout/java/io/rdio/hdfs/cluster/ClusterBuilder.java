// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import io.rdio.hdfs.cluster.LoopVolume.Backing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a {@link Cluster} shall be like. What is not said: one DataNode with RDIO on 4 GB of ext4.
 */
public final class ClusterBuilder {
  String fileSystem = "ext4";
  long volumeBytes = 4L << 30;
  Backing backing = Backing.TMPFS;
  int dataNodes = 1;
  boolean plugin = true;
  HadoopClassPath classPath = HadoopClassPath.ofThisJvm();
  String folderPrefix = "rdio-cluster-";
  final Map<String, String> keys = new LinkedHashMap<>();
  final List<String> dataNodeOptions = new ArrayList<>();
  final List<String> options = new ArrayList<>();

  ClusterBuilder() {}

  /** {@code ext4} or {@code xfs}, for each DataNode's volume. */
  public ClusterBuilder fileSystem(String name) {
    fileSystem = name;
    return this;
  }

  /** Size of each DataNode's volume. */
  public ClusterBuilder volumeBytes(long bytes) {
    volumeBytes = bytes;
    return this;
  }

  /** What holds the volumes. */
  public ClusterBuilder backing(Backing where) {
    backing = where;
    return this;
  }

  /** How many DataNodes, each with a volume of its own. */
  public ClusterBuilder dataNodes(int count) {
    dataNodes = count;
    return this;
  }

  /** Whether the DataNodes load RDIO's plugin. */
  public ClusterBuilder plugin(boolean on) {
    plugin = on;
    return this;
  }

  /** What the daemons load their classes from; that of this JVM unless said. */
  public ClusterBuilder classPath(HadoopClassPath path) {
    classPath = path;
    return this;
  }

  /** What the name of the cluster's folder under the folder for temporary files begins with. */
  public ClusterBuilder folderPrefix(String prefix) {
    folderPrefix = prefix;
    return this;
  }

  /** One more key for the daemons and the clients; wins over the cluster's own. */
  public ClusterBuilder set(String key, String value) {
    keys.put(key, value);
    return this;
  }

  /** One more option of the DataNodes' JVMs; wins over the cluster's own. */
  public ClusterBuilder dataNodeOption(String option) {
    dataNodeOptions.add(option);
    return this;
  }

  /** One more option of all JVMs of the cluster: daemons, clients and tools. */
  public ClusterBuilder option(String option) {
    options.add(option);
    return this;
  }

  /**
   * Makes the volumes, formats the NameNode and starts all daemons. Takes about ten seconds.
   *
   * @throws IOException if something does not come up; then nothing is left of it
   */
  public Cluster start() throws IOException {
    Path folder = Files.createTempDirectory(folderPrefix).toRealPath();
    Teardown teardown = Teardown.of(folder);
    try {
      return new Cluster(this, folder, teardown);
    } catch (IOException | RuntimeException e) {
      teardown.close();
      throw e;
    }
  }
}
