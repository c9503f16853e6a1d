// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ChecksTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final Checks checks = new Checks(new PrintStream(said, true, StandardCharsets.UTF_8));

  @Test
  void eachIsToldAndKeptInItsOrder() {
    checks.check("second", true);
    checks.check("first", false);

    assertThat(checks.fields()).containsExactly(entry("second", true), entry("first", false));
    assertThat(said.toString(StandardCharsets.UTF_8).lines())
        .containsExactly("testbed: ok: second", "testbed: NOT SO: first");
  }

  @Test
  void oneThatDoesNotHoldIsNotForgotten() {
    assertThat(checks.allOk()).as("nothing was looked at").isFalse();
    checks.check("one", true);
    assertThat(checks.allOk()).isTrue();
    checks.check("one", false);
    checks.check("one", true);

    assertThat(checks.allOk()).isFalse();
    assertThat(checks.fields()).containsExactly(entry("one", false));
  }
}
