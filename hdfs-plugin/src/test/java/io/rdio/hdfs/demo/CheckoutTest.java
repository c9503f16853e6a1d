// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class CheckoutTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Checkout.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  @Test
  void helpNamesEveryCommand() {
    assertThat(run("--help")).isZero();
    for (String name :
        new String[] {"doctor", "prefcache", "demo", "load", "bench", "dashboard", "testbed"}) {
      assertThat(out.toString()).containsOnlyOnce("\n  " + name + " ");
    }
  }

  @Test
  void demoHasTheSettingsOfTheOthers() {
    assertThat(run("demo", "--backing", "tmpfs", "--size", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--size 0: must be greater than 0");
  }

  @Test
  void loadTakesTime() {
    assertThat(run("load", "--seconds", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--seconds 0: must be greater than 0");
  }
}
