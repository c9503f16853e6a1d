// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class BootTimeClockTest {
  @Test
  void countsFromBootAndIsTheSameForAll() throws Exception {
    double uptime = Double.parseDouble(Files.readString(Path.of("/proc/uptime")).split(" ", -1)[0]);

    long first = new BootTimeClock().nanos();
    long second = new BootTimeClock().nanos();

    assertThat(first / 1e9).isBetween(uptime - 0.01, uptime + 60);
    assertThat(second - first).isNotNegative();
  }
}
