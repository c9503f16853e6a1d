// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.BenchProcess;
import io.rdio.core.testing.Requirements;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bench micro} as bin/rdio runs it, for a step that an agent serves in the same JVM. */
@Tag("loop")
class MicroIT {
  @Test
  void measuresAReadByTheAgent(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    String output =
        BenchProcess.run(
            folder.resolve("log"), folder, Map.of(), "micro", "--step", "agentOpenAccessor4k");
    assertThat(output).containsPattern("\\| agentOpenAccessor4k \\| [1-9][0-9.]* \\|");
  }

  @Test
  void measuresAWriteToTheAgent(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    String output =
        BenchProcess.run(
            folder.resolve("log"), folder, Map.of(), "micro", "--step", "agentWrite64k");
    assertThat(output).containsPattern("\\| agentWrite64k \\| [1-9][0-9.]* \\|");
  }
}
