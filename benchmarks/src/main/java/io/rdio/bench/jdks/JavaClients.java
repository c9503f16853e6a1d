// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.jdks;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.ClientJvm;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.demo.RandomContent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;

/** A throwaway cluster with a file, and clients that read it by RDIO. For one thread. */
final class JavaClients implements AutoCloseable {
  static final String FILE = "/jdks";

  private static final long SPARE_BYTES = 256L << 20;
  private static final Pattern VERSION = Pattern.compile("version \"([^\"]+)\"");

  private final Cluster cluster;
  private final List<Client> clients = new ArrayList<>();

  /**
   * A client.
   *
   * @param java its version
   * @param memory what it reads to
   */
  record Client(String java, String memory, ClientJvm jvm) {}

  JavaClients(List<Path> homes, long fileBytes) throws IOException {
    cluster =
        Cluster.builder().folderPrefix("rdio-bench-").volumeBytes(fileBytes + SPARE_BYTES).start();
    try {
      try (FileSystem fs = cluster.fileSystem(false);
          OutputStream out = fs.create(new org.apache.hadoop.fs.Path(FILE))) {
        RandomContent.write(out, 1, fileBytes, written -> {});
      }
      Path conf =
          cluster.addConfFolder(
              "conf-jdks", true, Map.of(RdioConfigKeys.CLIENT_AGENT.name(), "off"));
      for (int i = 0; i < homes.size(); i++) {
        String java = version(homes.get(i));
        for (String memory : List.of("heap", "direct")) {
          String name = "java" + i + "-" + memory;
          ClientJvm jvm = ClientJvm.startOn(homes.get(i), cluster, name, conf, "hdfs", memory);
          clients.add(new Client(java, memory, jvm));
        }
      }
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** What a Java calls itself. */
  private static String version(Path home) throws IOException {
    Process java =
        new ProcessBuilder(home.resolve("bin/java").toString(), "-version")
            .redirectErrorStream(true)
            .start();
    String said = ProcessEnd.of(java, "--java " + home).output();
    Matcher version = VERSION.matcher(said);
    if (!version.find()) {
      throw new IOException("--java " + home + " does not say its version but: " + said);
    }
    return version.group(1);
  }

  List<Client> all() {
    return clients;
  }

  /** Has a client do something, with nothing of the file in a page cache. */
  Answer ask(Client client, Task task) throws IOException {
    cluster.dropPageCaches();
    return client.jvm().ask(task);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
