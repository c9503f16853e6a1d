// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that a seccomp filter keeps from io_uring, as those of containers do. */
@Tag("loop")
@Shares(PLAIN_EXT4)
class WithoutUringIT {
  private static final List<String> FILTER =
      List.of("python3", "src/test/resources/io/rdio/hdfs/agent/without_io_uring.py");

  private Cluster cluster;
  private Path conf;

  @BeforeEach
  void share(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    conf =
        cluster.addConfFolder(
            "conf-without-uring-" + System.nanoTime(),
            true,
            Map.of("dfs.client.rdio.agent", "off"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "4096", "1000000"})
  void allOfAFileComesByRdio(String positional) throws Exception {
    SeededFile file;
    try (FileSystem stock = cluster.fileSystem(false)) {
      file = SeededFile.write(stock, "/without-uring", 9_000_000, 3);
    }
    String[] more = positional.isEmpty() ? new String[0] : new String[] {positional};
    assertThat(ReadOnce.run(cluster, conf, FILTER, List.of(), file.path(), more))
        .isEqualTo(new ReadOnce.Result(ReadOnce.crcOf(file.bytes()), file.bytes().length, 0, ""));
  }

  @Test
  void doctorTellsByWhatItIsRead() throws Exception {
    assertThat(doctor(FILTER)).contains("io_submit, for there is no io_uring here");
    assertThat(doctor(List.of())).contains("io_uring").doesNotContain("io_submit");
  }

  private String doctor(List<String> prefix) throws Exception {
    ProcessBuilder doctor = cluster.jvm(conf, List.of(), "io.rdio.hdfs.cli.Rdio", "doctor");
    List<String> command = new ArrayList<>(prefix);
    command.addAll(doctor.command());
    Process process = doctor.command(command).redirectErrorStream(true).start();
    cluster.killLater(process);
    return ProcessEnd.of(process, "rdio doctor").output();
  }
}
