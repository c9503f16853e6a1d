// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("loop")
class ClusterIT {
  private static final int FILE_BYTES = 3 << 20;

  @ParameterizedTest
  @MethodSource("io.rdio.hdfs.cluster.TestClusters#fileSystems")
  void servesSurvivesACrashAndLeavesNothing(String fileSystem) throws IOException {
    Requirements.requireLoop(fileSystem);
    byte[] content = new byte[FILE_BYTES];
    new Random(1).nextBytes(content);
    Path folder;
    try (Cluster cluster =
        TestClusters.builder()
            .fileSystem(fileSystem)
            .volumeBytes(512L << 20)
            .plugin(false)
            .set("dfs.namenode.fs-limits.min-block-size", "1m")
            .set("dfs.blocksize", "1m")
            .start()) {
      folder = cluster.folder();
      assertThat(Files.readString(Path.of("/proc/mounts")))
          .contains(
              cluster.volume(0).device() + " " + cluster.volume(0).mountPoint() + " " + fileSystem);
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/file");
      try (FileSystem fs = cluster.fileSystem(false)) {
        try (FSDataOutputStream out = fs.create(file)) {
          out.write(content);
        }
        assertThat(read(fs, file)).isEqualTo(content);
        assertThat(cluster.volume(0).cachedBytes()).isGreaterThanOrEqualTo(FILE_BYTES);
        cluster.dropPageCaches();
        assertThat(cluster.volume(0).cachedBytes()).isZero();

        long before = cluster.dataNode(0).pid();
        cluster.dataNode(0).kill();
        cluster.dataNode(0).start();
        assertThat(cluster.dataNode(0).pid()).isNotEqualTo(before);
        assertThat(cluster.dataNode(0).cpuSeconds()).isPositive();
        assertThat(read(fs, file)).isEqualTo(content);
      }
    }
    assertNothingLeft(folder);
  }

  private static void assertNothingLeft(Path folder) throws IOException {
    assertThat(folder).doesNotExist();
    assertThat(Files.readString(Path.of("/proc/mounts"))).doesNotContain(folder.toString());
    assertThat(Command.run("losetup", "-nO", "BACK-FILE")).doesNotContain(folder.toString());
    assertThat(ProcessHandle.allProcesses().map(process -> process.info().commandLine().orElse("")))
        .noneMatch(line -> line.contains("rdio.cluster=" + folder));
  }

  private static byte[] read(FileSystem fs, org.apache.hadoop.fs.Path file) throws IOException {
    try (FSDataInputStream in = fs.open(file)) {
      return in.readAllBytes();
    }
  }
}
