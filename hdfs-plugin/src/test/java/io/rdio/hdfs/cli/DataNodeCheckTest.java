// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.PlaneGreeting;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the doctor makes of a DataNode's own words. */
final class DataNodeCheckTest {
  private final StringWriter out = new StringWriter();
  private final Findings findings = new Findings(new PrintWriter(out, true));

  @Test
  void failuresInsideThePluginAreFoundWrong() {
    DataNodeCheck.failures(
        new PlaneGreeting(2, 1, 60_000, List.of(), 3, "ending leases: Error"), findings);

    assertThat(out.toString()).contains("WRONG  plugin", "3 failures", "ending leases: Error");
    assertThat(findings.wrongs()).isEqualTo(1);
  }

  @Test
  void pluginWithoutFailuresIsNotMentioned() {
    DataNodeCheck.failures(new PlaneGreeting(2, 1, 60_000, List.of(), 0, ""), findings);

    assertThat(out.toString()).isEmpty();
  }
}
