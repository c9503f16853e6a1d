// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.hdfs.client.namenode.ImpatientCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import picocli.CommandLine.Option;

/** The options that Hadoop's own tools have, for commands that look at a cluster. */
final class ClientOptions {
  /** Of one call to the NameNode: a person waits for it. */
  private static final Duration NAME_NODE_TIMEOUT = Duration.ofSeconds(10);

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "set a configuration key for this command, as with Hadoop's own tools")
  private Map<String, String> keys = new LinkedHashMap<>();

  @Option(
      names = "-conf",
      paramLabel = "FILE",
      description = "read this configuration file too, after those in HADOOP_CONF_DIR")
  private List<Path> files = new ArrayList<>();

  /** What is configured here, with calls to the NameNode that do not hang. */
  Configuration configuration() throws IOException {
    Configuration conf = new HdfsConfiguration();
    for (Path file : files) {
      if (!Files.isReadable(file)) {
        throw new IOException("-conf " + file + ": no such file, or not readable by this user");
      }
      conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
    }
    keys.forEach(conf::set);
    try {
      return ImpatientCalls.configure(conf, NAME_NODE_TIMEOUT);
    } catch (RuntimeException e) { // how Hadoop says that a file is no configuration
      throw new IOException("a configuration file cannot be read: " + e.getMessage(), e);
    }
  }
}
