// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ClientJvmTest {
  /** As a cluster gives it: without the options that were meant for other JVMs. */
  private final ProcessBuilder jvm = new ProcessBuilder("java");

  ClientJvmTest() {
    jvm.environment().clear();
  }

  @Test
  void clientsHaveTheOptionsThatTheUserSet() {
    ClientJvm.handOnOptions(Map.of("JAVA_TOOL_OPTIONS", "-Dkey=value", "OTHER", "x"), jvm);
    assertThat(jvm.environment()).isEqualTo(Map.of("JAVA_TOOL_OPTIONS", "-Dkey=value"));
  }

  @Test
  void withoutThemThereAreNone() {
    ClientJvm.handOnOptions(Map.of(), jvm);
    assertThat(jvm.environment()).isEmpty();
  }
}
