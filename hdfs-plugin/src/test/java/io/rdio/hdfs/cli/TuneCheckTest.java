// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.tune.Tuning;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the doctor prints of the windows that it tried. */
class TuneCheckTest {
  private final Configuration conf = new Configuration(false);
  private final StringWriter out = new StringWriter();
  private final PrintWriter printer = new PrintWriter(out, true);
  private final Findings findings = new Findings(printer);
  private final TuneCheck check =
      new TuneCheck(
          conf,
          printer,
          findings,
          new Tuning(
              System::nanoTime, new Random(1), Duration.ofMillis(1), Duration.ofSeconds(20)));

  private @TempDir Path folder;

  private Path file() throws IOException {
    return Files.write(folder.resolve("device"), new byte[8 << 20]);
  }

  @Test
  void fileIsReadInEachWayAndTheKeysArePrinted() throws IOException {
    conf.set("dfs.client.rdio.read.ahead", "768k");
    Path file = file();
    check.run(file);
    assertThat(out.toString())
        .contains("Windows of sequential reads on " + file + " (8 MB)")
        .containsPattern("256 KB +3 +\\d+ +\\d+  present setting")
        .containsPattern("note +present +3 x 256 KB under way, \\d+ MB/s, \\d+ % of the best")
        .containsPattern("note +smallest +within 5 % of the best: \\d+ x \\d+ [KM]B under way")
        .containsPattern("<name>dfs.client.rdio.read.ahead</name>\\s+<value>\\d+[km]</value>")
        .containsPattern("<name>dfs.client.rdio.read.window</name>\\s+<value>\\d+[km]</value>")
        .doesNotContain("WRONG");
    assertThat(findings.wrongs()).isZero();
  }

  @Test
  void readingNothingAheadIsNotAdvised() throws IOException {
    conf.set("dfs.client.rdio.read.ahead", "0");
    conf.set("dfs.client.rdio.buffer.memory.max", "256k"); // leaves one way only
    check.run(file());
    assertThat(out.toString())
        .contains("present setting", "<value>256k</value>")
        .doesNotContain("<value>0</value>");
  }

  @Test
  void noMoreMemoryIsTakenThanReadersMay() throws IOException {
    conf.set("dfs.client.rdio.read.ahead", "256k");
    conf.set("dfs.client.rdio.buffer.memory.max", "256k");
    check.run(file());
    assertThat(out.toString())
        .containsPattern("256 KB +1 +\\d+ +\\d+  present setting")
        .doesNotContainPattern("KB +2 ")
        .doesNotContain("1 MB  ");
  }

  @Test
  void deviceThatIsNotThere() {
    check.run(folder.resolve("none"));
    assertThat(out.toString()).contains("WRONG  tune", "DEVICE_NOT_FOUND", "none", "fix: ");
    assertThat(findings.wrongs()).isEqualTo(1);
  }

  @Test
  void valueThatCannotBe() throws IOException {
    conf.set("dfs.client.rdio.read.window", "much");
    check.run(file());
    assertThat(out.toString())
        .contains("WRONG  tune", "CONFIGURATION_INVALID", "dfs.client.rdio.read.window", "much");
  }

  @Test
  void noDeviceToMeasureIsNoFault() {
    check.run(List.of());
    assertThat(out.toString())
        .contains("nothing measured", "'sudo -u rdio hadoop rdio doctor --tune'");
    assertThat(findings.wrongs()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1000, 1000", "65536, 64k", "4194304, 4m", "786432, 768k"})
  void sizesAreAsHadoopHasThem(int bytes, String written) {
    assertThat(TuneCheck.written(bytes)).isEqualTo(written);
  }
}
