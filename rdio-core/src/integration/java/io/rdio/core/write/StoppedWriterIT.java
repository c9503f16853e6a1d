// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.Requirements;
import io.rdio.nativeio.write.DeviceWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A writer that is stopped between look and submission does not live to submit behind its lease.
 */
@Tag("loop")
final class StoppedWriterIT {
  private static final int BYTES = 4 << 20;
  private static final int KILLED = 128 + 9;

  @TempDir Path directory;

  @RepeatedTest(3)
  void isKilledAtTheDeadlineAndWritesNothing() throws Exception {
    Requirements.requireLoop("ext4");
    try (LoopDevice device = LoopDevice.create(BYTES)) {
      Process child = begin(device, 5);

      waitUntilStopped(child);
      assertThat(Files.readAllBytes(device.backingFile())).containsOnly(0);
      assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();

      assertThat(child.exitValue()).as(output()).isEqualTo(KILLED);
      assertThat(Files.readAllBytes(device.backingFile())).containsOnly(0);
    }
  }

  /** So that the other test does not pass for want of a write. */
  @Test
  void writesIfItGoesOnInTime() throws Exception {
    Requirements.requireLoop("ext4");
    try (LoopDevice device = LoopDevice.create(BYTES)) {
      Process child = begin(device, 600);

      waitUntilStopped(child);
      while (!child.waitFor(10, TimeUnit.MILLISECONDS)) {
        // Fails where it has ended in the meantime.
        Command.succeeds("kill", "-CONT", Long.toString(child.pid()));
      }

      assertThat(child.exitValue()).as(output()).isZero();
      byte[] written = Files.readAllBytes(device.backingFile());
      for (int i = 0; i < BYTES; i++) {
        boolean isInside = i >= StoppedWriter.PLACE && i < StoppedWriter.PLACE + StoppedWriter.UNIT;
        assertThat(written[i]).isEqualTo((byte) (isInside ? 1 : 0));
      }
    }
  }

  private Process begin(LoopDevice device, int seconds) throws Exception {
    Path classes =
        Path.of(DeviceWriter.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path library = classes.resolveSibling("cmake").resolve("librdio-write-stopped.so");
    assertThat(library).exists();
    ProcessBuilder java =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "-Drdio.write.path=" + library,
            StoppedWriter.class.getName(),
            device.node().toString(),
            Integer.toString(seconds));
    java.environment().put("RDIO_TEST_STOP", "1");
    return java.redirectErrorStream(true)
        .redirectOutput(directory.resolve("output").toFile())
        .start();
  }

  private void waitUntilStopped(Process child) throws Exception {
    Path stat = Path.of("/proc", Long.toString(child.pid()), "stat");
    boolean hasEnded = false;
    while (!hasEnded && !isStopped(Files.readString(stat))) {
      hasEnded = child.waitFor(10, TimeUnit.MILLISECONDS);
    }
    assertThat(hasEnded).as(output()).isFalse();
  }

  /** The state is behind the name, which is in parentheses. */
  private static boolean isStopped(String stat) {
    return stat.startsWith(") T ", stat.lastIndexOf(')'));
  }

  private String output() throws IOException {
    return Files.readString(directory.resolve("output"));
  }
}
