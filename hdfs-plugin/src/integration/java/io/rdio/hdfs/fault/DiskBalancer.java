// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** {@code hdfs diskbalancer} of a cluster with one DataNode that has several volumes. */
record DiskBalancer(Cluster cluster, FileSystem stock) {
  /** Has it begin to move blocks to the emptier volume; it goes on behind this call. */
  void start(Duration patience) {
    Path plan = new Path("/plans/127.0.0.1.plan.json");
    await()
        .atMost(patience)
        .until( // The NameNode hears of the free space with a heartbeat.
            () -> {
              run("-plan", "127.0.0.1", "-out", "/plans", "-thresholdPercentage", "1");
              return stock.exists(plan);
            });
    assertThat(run("-execute", plan.toString(), "-skipDateCheck")).isZero();
  }

  private int run(String... arguments) {
    try {
      List<String> command = new ArrayList<>();
      command.add("org.apache.hadoop.hdfs.tools.DiskBalancerCLI");
      command.addAll(List.of(arguments));
      Process process =
          cluster
              .jvm(cluster.confFolder(false), List.of(), command.toArray(String[]::new))
              .redirectErrorStream(true)
              .redirectOutput(
                  ProcessBuilder.Redirect.appendTo(new File("target", "disk-balancer.log")))
              .start();
      cluster.killLater(process);
      return ProcessEnd.statusOf(process, "hdfs diskbalancer");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
