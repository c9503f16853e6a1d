// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.wire.proto.HelloReply;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** What the doctor makes of a DataNode's own words. */
final class DataNodeCheckTest {
  private final StringWriter out = new StringWriter();
  private final Findings findings = new Findings(new PrintWriter(out, true));

  @Test
  void failuresInsideThePluginAreFoundWrong() {
    DataNodeCheck.failures(
        HelloReply.newBuilder().setFailures(3).setLastFailure("ending leases: Error").build(),
        findings);

    assertThat(out.toString()).contains("WRONG  plugin", "3 failures", "ending leases: Error");
    assertThat(findings.wrongs()).isEqualTo(1);
  }

  @Test
  void pluginWithoutFailuresIsNotMentioned() {
    DataNodeCheck.failures(HelloReply.getDefaultInstance(), findings);

    assertThat(out.toString()).isEmpty();
  }
}
