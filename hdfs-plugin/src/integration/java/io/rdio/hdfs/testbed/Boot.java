// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.TestClusters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One boot of the test bed, as {@code bin/rdio testbed} does it. */
final class Boot {
  private static final long MINUTES_MAX = 30;

  private static @Nullable JsonNode hdfs;

  private Boot() {}

  /**
   * The figures of all parts that need HDFS, of one boot for all test classes; with the newer
   * kernel and the part that needs it, if they are not left out. Files are as large as those of the
   * command with {@code -Drdio.test.all=true} only.
   */
  static synchronized JsonNode hdfs() throws IOException, InterruptedException {
    if (hdfs == null) {
      String leftOut = System.getProperty("rdio.tests.left-out", "");
      String parts = "traffic,table,faults" + (leftOut.contains("newer-kernel") ? "" : ",fence");
      Path folder = Files.createTempDirectory("testbed");
      try {
        hdfs =
            Boolean.getBoolean("rdio.test.all")
                ? figures(folder, "testbed", MINUTES_MAX, "--only", parts)
                : figures(folder, "testbed", MINUTES_MAX, "--only", parts, "--little");
      } finally {
        Files.deleteIfExists(folder.resolve("figures.json"));
        Files.delete(folder);
      }
    }
    return hdfs;
  }

  /**
   * Boots it and waits for its end.
   *
   * @param folder for its figures
   * @param name of its log, in the module's target folder
   * @param options as of the command
   * @return its figures
   */
  static JsonNode figures(Path folder, String name, long minutesMax, String... options)
      throws IOException, InterruptedException {
    for (String tool : List.of("qemu-system-x86_64", "busybox", "cpio", "ip", "sfdisk")) {
      Requirements.requireTool(tool);
    }
    Path target = Path.of(System.getProperty("rdio.class-path.folder"));
    Path json = folder.resolve("figures.json");
    Path log = target.resolve(name + ".log");
    List<String> words = new ArrayList<>();
    words.add(target.resolve("../../bin/lib/testbed/run").normalize().toString());
    words.addAll(List.of("--json", json.toString()));
    words.addAll(List.of(options));
    ProcessBuilder command =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
    command
        .environment()
        .put(
            "CLASSPATH",
            TestClusters.hadoop("hadoop-3.5")
                .with(TestClusters.jar().toString())
                .with(TestClusters.checkoutJar().toString())
                .value());
    command.environment().put("JAVA_HOME", System.getProperty("java.home"));
    // Most of its time the machine's JVMs would load classes, each as slowly as it emulates.
    command.environment().put("RDIO_CLASS_ARCHIVE", System.getProperty("rdio.class-archive", ""));
    Process testBed = command.start();
    try {
      assertThat(testBed.waitFor(minutesMax, TimeUnit.MINUTES)).as("ends in time").isTrue();
    } finally {
      testBed.destroy();
    }
    assertThat(json).as(() -> "the test bed says: " + text(log)).exists();
    return new ObjectMapper().readTree(json.toFile());
  }

  private static String text(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
