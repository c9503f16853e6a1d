// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One boot more of the test bed with that kernel: what {@link FencedWritesPart} tries. */
@Tag("vm")
@Tag("newer-kernel")
@Tag("alone")
class FencedWritesIT {
  private static final long MINUTES_MAX = 26;
  private static final int CHECKS = 12;

  @Test
  void lateWritesOfAHostThatLostItsLeaseAreRefused(@TempDir Path folder) throws Exception {
    JsonNode checks =
        Boot.figures(folder, "testbed-fenced-writes", MINUTES_MAX, "--only", "fenced-writes")
            .path("fenced_writes");
    assertThat(checks).hasSize(CHECKS);
    for (JsonNode check : checks) {
      assertThat(check.asBoolean()).as("%s", checks).isTrue();
    }
  }
}
