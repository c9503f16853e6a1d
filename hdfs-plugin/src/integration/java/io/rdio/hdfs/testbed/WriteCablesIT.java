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

/** One boot of the test bed with two DataNodes: what {@link WriteCablesPart} tries. */
@Tag("vm")
@Tag("long")
@Tag("alone")
class WriteCablesIT {
  private static final long MINUTES_MAX = 48;
  private static final int CABLES = 5;

  private static JsonNode cables = new ObjectMapper().createArrayNode();

  @BeforeAll
  static void boot(@TempDir Path folder) throws IOException, InterruptedException {
    cables =
        Boot.figures(folder, "testbed-write-cables", MINUTES_MAX, "--only", "write-cables")
            .path("write_cables");
    assertThat(cables).hasSize(CABLES);
  }

  private static void holds(String clause) {
    for (JsonNode cable : cables) {
      assertThat(cable.path(clause).asBoolean()).as("%s: %s", clause, cable).isTrue();
    }
  }

  @Test
  void theFileIsClosedWithWhatWasWrittenOrRefusedWithItsReason() {
    holds(CutWrite.TOLD);
  }

  @Test
  void noClosedFileDiffers() {
    holds(CutWrite.CLOSED);
  }

  @Test
  void fsckIsClean() {
    holds(CutWrite.FSCK);
  }

  @Test
  void slotsComeBackWithinTheQuarantine() {
    holds(CutWrite.SLOTS);
  }

  @Test
  void noForeignBlockIsTouched() {
    holds(CutWrite.FOREIGN);
  }

  @Test
  void theAgentWritesAgain() {
    holds(CutWrite.AGAIN);
  }

  /** Or the others would have seen no write that is cut off. */
  @Test
  void theWriterLosesItsFileWithAllItsStoragePaths() {
    JsonNode all = cables.path(3);
    assertThat(all.path("name").asText()).isEqualTo("all storage paths of the agent's host");
    assertThat(all.path("detail").asText())
        .as("%s", all)
        .startsWith("refused: ")
        .contains("RDIO: ");
  }
}
