// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.cluster.Proc.ThreadCpu;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcTest {
  /** What follows the name: fields 3 to 20 of proc(5), of which 14 to 17 are times. */
  private static final String REST =
      " S 1 4711 4711 0 -1 1077936192 2104 12 3 4 1203 147 5000 6000 20 0 87 0";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "C2 CompilerThre",
        "G1 Conc#0",
        "rdio-net-1",
        "java",
        "",
        "(sd-pam)",
        "a) S 9 9 (b",
        "1 2 3 4 5 6 7 8"
      })
  void aNameMayHoldAnything(String name) {
    assertThat(Proc.threadOf("4712 (" + name + ")" + REST)).isEqualTo(new ThreadCpu(name, 13.5));
  }

  @Test
  void threadsOfARunningProcessHaveTheirNames() throws Exception {
    long pid = ProcessHandle.current().pid();
    FutureTask<Map<Long, ThreadCpu>> seen = new FutureTask<>(() -> Proc.threads(pid));
    new Thread(seen, "rdio (a) b").start();
    assertThat(seen.get().values())
        .extracting(ThreadCpu::name)
        .contains("rdio (a) b")
        .hasSizeGreaterThan(1);
    double sum = seen.get().values().stream().mapToDouble(ThreadCpu::cpuSeconds).sum();
    assertThat(sum).isPositive().isLessThanOrEqualTo(Proc.cpuSeconds(pid));
  }
}
