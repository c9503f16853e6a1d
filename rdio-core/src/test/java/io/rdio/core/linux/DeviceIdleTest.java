// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.device.SysfsBlockDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DeviceIdleTest {
  @TempDir Path folder;

  private void inflight(String counts) throws IOException {
    long dev = (Long) Files.getAttribute(folder, "unix:dev");
    String numbers = SysfsBlockDevice.major(dev) + ":" + SysfsBlockDevice.minor(dev);
    Path device = Files.createDirectories(folder.resolve("dev/block").resolve(numbers));
    Files.writeString(device.resolve("inflight"), counts);
  }

  @Test
  void deviceIsIdleWithoutReadsAndWritesUnderWay() throws IOException {
    DeviceIdle idle = new DeviceIdle(folder, folder);
    inflight("       0        0\n");
    assertThat(idle.getAsBoolean()).isTrue();
    inflight("       0        1\n");
    assertThat(idle.getAsBoolean()).isFalse();
    inflight("      10        0\n");
    assertThat(idle.getAsBoolean()).isFalse();
  }

  @Test
  void deviceThatTellsNothingIsNotIdle() {
    assertThat(new DeviceIdle(folder, folder).getAsBoolean()).isFalse();
  }
}
