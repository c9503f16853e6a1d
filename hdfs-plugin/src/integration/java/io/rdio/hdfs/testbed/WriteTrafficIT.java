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
 * One boot of the test bed with three DataNodes, or with {@code -Drdio.test.all=true} five: the
 * bytes on each link for files that stock HDFS and RDIO write, which are read back.
 */
@Tag("vm")
@Tag("long")
@Tag("alone")
class WriteTrafficIT {
  private static final long MINUTES_MAX = 48;
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");

  /** One replica and three; with five DataNodes RS-3-2, too. */
  private static final int KINDS = ALL ? 3 : 2;

  private static final int CHECKS_OF_EACH = 7;

  /** Of each byte that is stored: 4 for 512. */
  private static final double CRC = 4.0 / 512;

  private static final double HEADERS_MAX = 0.02;
  private static final double COMPUTE_HEADERS_MAX = 0.01;
  private static final long MESSAGES_MAX = 1L << 20;

  private static JsonNode figures = new ObjectMapper().createObjectNode();

  @BeforeAll
  static void boot(@TempDir Path folder) throws IOException, InterruptedException {
    String[] options =
        ALL
            ? new String[] {"--only", "write-traffic", "--datanodes", "5"}
            : new String[] {"--only", "write-traffic", "--little"};
    figures =
        Boot.figures(folder, "testbed-write-traffic", MINUTES_MAX, options).path("write_traffic");
    assertThat(figures.path("kinds")).as("%s", figures).hasSize(KINDS);
  }

  private static double stored(JsonNode kind) {
    return kind.path("bounds").path("stored").asDouble(Double.NaN);
  }

  private static double perByte(JsonNode kind, String way, String link) {
    return kind.path(way).path("per_byte").path(link).asDouble(Double.NaN);
  }

  @Test
  void rdioMovesEachByteAsOftenAsItIsStored() {
    for (JsonNode kind : figures.path("kinds")) {
      double stored = stored(kind);
      assertThat(perByte(kind, "rdio", "total"))
          .as("%s", kind)
          .isBetween(stored, stored * (1 + 2 * CRC) + HEADERS_MAX);
      assertThat(perByte(kind, "rdio", "storage")).as("%s", kind).isGreaterThanOrEqualTo(stored);
    }
  }

  @Test
  void noneCrossesTheComputeNetworkButCrcs() {
    for (JsonNode kind : figures.path("kinds")) {
      double crcs = stored(kind) * CRC;
      assertThat(perByte(kind, "rdio", "compute"))
          .as("%s", kind)
          .isBetween(crcs / 2, crcs + COMPUTE_HEADERS_MAX);
    }
  }

  /** What shows that the links are counted, and that there was something to be saved. */
  @Test
  void stockHdfsMovesEachTwice() {
    for (JsonNode kind : figures.path("kinds")) {
      double stored = stored(kind);
      assertThat(perByte(kind, "stock", "storage")).as("%s", kind).isGreaterThan(0.98 * stored);
      assertThat(perByte(kind, "stock", "compute")).as("%s", kind).isGreaterThan(0.98 * stored);
      assertThat(perByte(kind, "stock", "total")).as("%s", kind).isLessThan(2.2 * stored);
    }
  }

  @Test
  void theClientsLinksHaveTheData() {
    for (JsonNode kind : figures.path("kinds")) {
      JsonNode file = kind.path("rdio").path("larger");
      double sent =
          file.path("links").path("client_to_storage").asDouble()
              + file.path("links").path("client_path2_to_storage").asDouble();
      assertThat(sent / file.path("bytes").asDouble())
          .as("%s", kind)
          .isGreaterThanOrEqualTo(stored(kind));
    }
  }

  @Test
  void aFilesMessagesAreFew() {
    for (JsonNode kind : figures.path("kinds")) {
      assertThat(kind.path("messages_per_file").asLong(Long.MAX_VALUE))
          .as("%s", kind)
          .isBetween(0L, MESSAGES_MAX * kind.path("units").asInt());
    }
  }

  /** Above all that what was read back is what was written, and was written by the agent. */
  @Test
  void allChecksHeld() {
    JsonNode checks = figures.path("checks");
    assertThat(checks).as("%s", checks).hasSize(1 + KINDS * CHECKS_OF_EACH);
    for (JsonNode check : checks) {
      assertThat(check.asBoolean()).as("%s", checks).isTrue();
    }
  }
}
