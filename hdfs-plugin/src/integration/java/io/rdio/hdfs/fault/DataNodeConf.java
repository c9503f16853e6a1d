// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** What a DataNode of a cluster reads when it starts, or is told to read it again. */
public final class DataNodeConf {
  private final Path folder;
  private final Configuration conf = new Configuration(false);

  /** That of the first one. */
  public DataNodeConf(Cluster cluster) {
    this(cluster, 0);
  }

  /** That of one of them, counted from 0. */
  public DataNodeConf(Cluster cluster, int dataNode) {
    folder = cluster.folder().resolve("conf-datanode" + dataNode);
    conf.addResource(new org.apache.hadoop.fs.Path(folder.resolve("hdfs-site.xml").toUri()));
  }

  public String get(String key) {
    return conf.get(key);
  }

  public void set(String key, String value) throws IOException {
    conf.set(key, value);
    for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
      try (OutputStream out = Files.newOutputStream(folder.resolve(name))) {
        conf.writeXml(out);
      }
    }
  }
}
