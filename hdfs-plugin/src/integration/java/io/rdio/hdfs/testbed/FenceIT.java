// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two boots of the test bed with a kernel whose NVMe target takes reservations, which apt fetches
 * once: what {@link FencePart} and {@link FencedXfsPart} try with two hosts, each by its name.
 */
@Tag("vm")
@Tag("newer-kernel")
@Tag("alone")
class FenceIT {
  private static final long MINUTES_MAX = 26;
  private static final int CHECKS = 25;
  private static final int ON_XFS = 10;

  private static JsonNode checks = new ObjectMapper().createObjectNode();

  @BeforeAll
  static void boot(@TempDir Path folder) throws IOException, InterruptedException {
    checks = Boot.figures(folder, "testbed-fence", MINUTES_MAX, "--only", "fence").path("fence");
  }

  private static void held(String... names) {
    for (String name : names) {
      assertThat(checks.path(name).asBoolean()).as(name).isTrue();
    }
  }

  @Test
  void oneHostWritesAndTheOtherDoesNot() {
    held("the host that has reserved it writes", "another host's write is a reservation conflict");
  }

  @Test
  void doctorSaysWhetherThereIsAFence() {
    held(
        "doctor says that the fence is held",
        "doctor says that the fence is missing on a target without");
  }

  @Test
  void hostThatIsShutOutInMidWriteWritesNoMore() {
    held(
        "rdio fence shuts it out",
        "the writer saw a reservation conflict",
        "nothing lands behind the fence",
        "its later writes are refused",
        "the host that fenced it writes");
  }

  @Test
  void doneAgainItDoesNoHarm() {
    held("done again it does no harm");
  }

  @Test
  void readersGoOnAndTheDataNodeGrantsNothing() {
    held(
        "readers have the right bytes while the host is shut out",
        "the DataNode has seen it, and grants nothing there");
  }

  @Test
  void agentIsShutOutBesideTheDataNode() {
    held("shut out by the DataNode's host it does not", "and the DataNode's host does");
  }

  @Test
  void filesOnXfsAreReadPastTheHostThatIsShutOut(@TempDir Path folder) throws Exception {
    JsonNode onXfs =
        Boot.figures(folder, "testbed-fenced-xfs", MINUTES_MAX, "--only", "fenced-xfs")
            .path("fenced_xfs");
    assertThat(onXfs).hasSize(ON_XFS);
    for (JsonNode check : onXfs) {
      assertThat(check.asBoolean()).as("%s", onXfs).isTrue();
    }
  }

  @Test
  void allElseHeld() {
    assertThat(checks).hasSize(CHECKS);
    for (JsonNode check : checks) {
      assertThat(check.asBoolean()).as("%s", checks).isTrue();
    }
  }
}
