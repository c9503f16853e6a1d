// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.replicas;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.ClientJvm;
import io.rdio.bench.hdfs.DiskLimit;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RecordingIPFailoverProxyProvider;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.demo.RandomContent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/**
 * A throwaway cluster of DataNodes with a device each, of which the kernel gives only so many bytes
 * a second, a file of which each has a replica, and the JVMs that read it. Where DataNodes send
 * from their page caches, that is held to a rate, too. All of it goes with the cluster. For one
 * thread.
 */
final class LimitedDevices implements AutoCloseable {
  /** By what a client reads. */
  enum Way {
    /** By the device of one replica of each block. */
    ONE("false"),
    /** By the devices of all replicas, and by DataNodes. */
    ALL("adaptive"),
    /** By DataNodes, without RDIO. */
    STOCK(null);

    private final @Nullable String routing;

    Way(@Nullable String routing) {
      this.routing = routing;
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static final String FILE = "/replicas";

  private static final long SPARE_BYTES = 256L << 20;

  private final Cluster cluster;
  private final boolean isCacheWarm;
  private final int volumes;
  private final Map<Way, ClientJvm> clients = new EnumMap<>(Way.class);

  /**
   * @param ways that will be asked for
   * @param limits of whom a bound of the link is not set here
   */
  LimitedDevices(List<Way> ways, Limits limits, long fileBytes) throws IOException {
    List<Long> rates = limits.devices();
    isCacheWarm = limits.isCacheWarm();
    volumes = rates.size();
    cluster =
        Cluster.builder()
            .folderPrefix("rdio-bench-")
            .volumeBytes(fileBytes + SPARE_BYTES)
            .dataNodes(rates.size())
            .set("dfs.replication", Integer.toString(rates.size()))
            .set("dfs.datanode.data.read.bandwidthPerSec", Long.toString(limits.sent()))
            .start();
    try {
      DiskLimit limit = // which goes with the cluster
          DiskLimit.create(
              "rdio-replicas-" + ProcessHandle.current().pid(),
              number(0),
              rates.get(0),
              cluster.teardown());
      for (int i = 1; i < rates.size(); i++) {
        limit.also(number(i), rates.get(i));
      }
      try (FileSystem fs = cluster.fileSystem(false);
          OutputStream out = fs.create(new org.apache.hadoop.fs.Path(FILE))) {
        RandomContent.write(out, 1, fileBytes, written -> {});
      }
      for (Way way : ways) {
        ClientJvm client = ClientJvm.start(cluster, way.label(), conf(way), "hdfs", "heap");
        clients.put(way, client);
        limit.add(client.pid());
      }
      for (int i = 0; i < rates.size(); i++) {
        limit.add(cluster.dataNode(i).pid());
      }
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private Path conf(Way way) throws IOException {
    if (way.routing == null) {
      return cluster.addConfFolder("conf-limited-" + way.label(), false, Map.of());
    }
    String nameNode = FileSystem.getDefaultUri(cluster.clientConf(false)).getHost();
    return cluster.addConfFolder(
        "conf-limited-" + way.label(),
        true,
        Map.of(
            RdioConfigKeys.CLIENT_ROUTING.name(),
            way.routing,
            RdioConfigKeys.CLIENT_AGENT.name(),
            "off",
            "dfs.client.failover.proxy.provider." + nameNode,
            RecordingIPFailoverProxyProvider.class.getName()));
  }

  /** As "major:minor". */
  private String number(int dataNode) throws IOException {
    String name = cluster.volume(dataNode).device().substring("/dev/".length());
    return Files.readString(Path.of("/sys/block", name, "dev")).strip();
  }

  /** Has a client do something, with all of the file in the DataNodes' page caches or nothing. */
  Answer ask(Way way, Task task) throws IOException {
    cluster.dropPageCaches();
    if (isCacheWarm) {
      warmPageCaches();
    }
    ClientJvm client = clients.get(way);
    if (client == null) {
      throw new IllegalStateException("no client of " + way);
    }
    return client.ask(task);
  }

  /** This process's reads are bound by nothing. */
  private void warmPageCaches() throws IOException {
    for (int i = 0; i < volumes; i++) {
      try (Stream<Path> files = Files.walk(cluster.volume(i).mountPoint())) {
        for (Path file : files.filter(each -> each.toString().contains("/blk_")).toList()) {
          Files.copy(file, OutputStream.nullOutputStream());
        }
      }
    }
  }

  @Override
  public void close() {
    cluster.close();
  }
}
