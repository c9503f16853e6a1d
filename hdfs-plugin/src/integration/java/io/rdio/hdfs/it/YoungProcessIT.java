// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fresh JVMs where no agent is: those that read little open no device. */
@Tag("loop")
@Shares(PLAIN_EXT4)
class YoungProcessIT {
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = 5 * BLOCK + 77;
  private static final Pattern LIBRARIES =
      Pattern.compile("io\\.(netty|grpc|rdio\\.(shaded|nativeio|hdfs\\.client\\.direct))\\.");

  private static Cluster cluster;
  private static SeededFile file;

  @BeforeAll
  static void write(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    try (FileSystem stock = cluster.fileSystem(false)) {
      file = SeededFile.write(stock, "/young", LENGTH, 1);
    }
  }

  private static ReadOnce.Result read(String folder, String after, Path log, String... how)
      throws Exception {
    Path conf =
        cluster.addConfFolder(
            folder,
            true,
            Map.of(
                RdioConfigKeys.CLIENT_DEVICE_AFTER.name(),
                after,
                RdioConfigKeys.CLIENT_FIRST_BYTES.name(),
                "0",
                "fs.hdfs.impl",
                RdioFileSystem.class.getName()));
    ReadOnce.Result result =
        ReadOnce.run(
            cluster, conf, List.of(), List.of("-Xlog:class+load:file=" + log), file.path(), how);
    assertThat(result.crc()).isEqualTo(ReadOnce.crcOf(file.bytes()));
    return result;
  }

  private static long libraries(Path log) throws IOException {
    try (Stream<String> lines = Files.lines(log)) {
      return lines.filter(line -> LIBRARIES.matcher(line).find()).count();
    }
  }

  @Test
  void onesThatReadLittleOpenNoDevice(@TempDir Path logs) throws Exception {
    Path log = logs.resolve("classes");
    ReadOnce.Result result =
        read("conf-young", RdioConfigKeys.CLIENT_DEVICE_AFTER.byDefault(), log);
    assertThat(result.rdioBytes()).isZero();
    assertThat(result.fallbacks()).isEqualTo("PROCESS_YOUNG=6");
    assertThat(libraries(log)).isZero();
  }

  @Test
  void onesThatReadLittleByAVectoredReadOpenNoDeviceEither(@TempDir Path logs) throws Exception {
    Path log = logs.resolve("classes");
    ReadOnce.Result result =
        read(
            "conf-young-vectored",
            RdioConfigKeys.CLIENT_DEVICE_AFTER.byDefault(),
            log,
            ReadOnce.VECTORED);
    assertThat(result.rdioBytes()).isZero();
    assertThat(result.fallbacks()).startsWith("PROCESS_YOUNG=").doesNotContain(",");
    assertThat(libraries(log)).isZero();
  }

  @Test
  void othersReadTheRestByTheDevice(@TempDir Path logs) throws Exception {
    Path log = logs.resolve("classes");
    ReadOnce.Result result = read("conf-grown", "2m", log);
    assertThat(result.rdioBytes()).isEqualTo(LENGTH - 2 * BLOCK);
    assertThat(result.fallbacks()).isEqualTo("PROCESS_YOUNG=2");
    assertThat(libraries(log)).isPositive();
  }
}
