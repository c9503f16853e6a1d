// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.BenchProcess;
import io.rdio.core.testing.Requirements;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bench micro} as bin/rdio runs it: steps by an agent in the same JVM, and of a stream. */
@Tag("loop")
class MicroIT {
  private static final List<String> STEPS = List.of("agentOpenAccessor4k", "agentWrite64k");

  @Test
  void measuresAReadAndAWriteByTheAgent(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    String output =
        BenchProcess.run(
            folder.resolve("log"),
            folder,
            Map.of(),
            "micro",
            "--step",
            "(" + String.join("|", STEPS) + ")");
    for (String step : STEPS) {
      assertThat(output).containsPattern("\\| " + step + " \\| [1-9][0-9.]* \\|");
    }
  }

  @Test
  void saysWhereTheThreadOfAStreamIs(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    String output =
        BenchProcess.run(
            folder.resolve("log"), folder, Map.of(), "micro", "--step", "(reader|raw)Stream1m");
    for (String step : List.of("readerStream1m", "rawStream1m")) {
      // ns/op, its error, garbage; asking the device, waiting for it, the rest.
      assertThat(output).containsPattern("\\| " + step + "( \\| -?[0-9.]+){6} \\|");
    }
  }
}
