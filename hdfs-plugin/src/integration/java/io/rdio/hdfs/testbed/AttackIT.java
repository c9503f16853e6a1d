// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One boot of the test bed: what {@link AttackPart} tries with two hosts, one that writes and one
 * that reads without a lease.
 */
@Tag("vm")
@Tag("attack")
@Tag("alone")
class AttackIT {
  private static final long MINUTES_MAX = 30;
  private static final int CHECKS = 8;
  private static final int PAGES_MIN = 500;
  private static final List<String> LOOKING = List.of("CRCs off", "CRCs on");

  private static JsonNode figures = new ObjectMapper().createObjectNode();

  @BeforeAll
  static void boot(@TempDir Path folder) throws IOException, InterruptedException {
    figures =
        Boot.figures(folder, "testbed-attack", MINUTES_MAX, "--only", "attack").path("attack");
  }

  private static long figure(String pass, String name) {
    return figures.path(pass).path(name).asLong(-1);
  }

  @Test
  void withoutTheLookReadersAreHandedForeignBytes() {
    assertThat(figure("blind", "foreign")).as("%s", figures).isPositive();
  }

  @Test
  void withItTheyAreHandedNone() {
    for (String pass : LOOKING) {
      assertThat(figure(pass, "foreign")).as("%s: %s", pass, figures).isZero();
    }
  }

  @Test
  void theyReadByMapsThatAreAttacked() {
    for (String pass : LOOKING) {
      assertThat(figure(pass, "pages"))
          .as("%s: %s", pass, figures)
          .isGreaterThanOrEqualTo(PAGES_MIN);
      assertThat(figure(pass, "looks")).as("%s: %s", pass, figures).isPositive();
      assertThat(figure(pass, "files_changed")).as("%s: %s", pass, figures).isPositive();
    }
  }

  @Test
  void allChecksHeld() {
    JsonNode checks = figures.path("checks");
    assertThat(checks).as("%s", figures).hasSize(CHECKS);
    for (JsonNode check : checks) {
      assertThat(check.asBoolean()).as("%s", figures).isTrue();
    }
  }
}
