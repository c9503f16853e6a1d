// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("loop")
class TeardownIT {
  private static final Duration UNDONE_TIME_MAX = Duration.ofSeconds(60);

  /** Makes a volume and a process, says where, and stays. */
  static final class Owner {
    private Owner() {}

    public static void main(String[] args) throws IOException, InterruptedException {
      Path folder = Files.createTempDirectory("rdio-teardown-");
      Teardown teardown = Teardown.of(folder);
      LoopVolume volume =
          LoopVolume.create(
              folder.resolve("volume"), "ext4", 64L << 20, Backing.valueOf(args[0]), teardown);
      // Busy: its working directory is on the volume, and its command line has the mark.
      Process busy =
          new ProcessBuilder("tail", "-f", folder.resolve("journal").toString())
              .directory(volume.mountPoint().toFile())
              .start();
      teardown.killLater(busy.pid());
      System.out.println(folder);
      busy.waitFor();
    }
  }

  @ParameterizedTest
  @EnumSource(Backing.class)
  void nothingIsLeftOfAJvmThatWasKilled(Backing backing) throws Exception {
    Requirements.requireLoop("ext4");
    Process owner =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Owner.class.getName(),
                backing.name())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(owner.getInputStream(), StandardCharsets.UTF_8))) {
      String folder = out.readLine();
      assertThat(Path.of(folder, "volume", "mount")).isDirectory();
      assertThat(Command.run("losetup", "-nO", "BACK-FILE")).contains(folder);

      owner.destroyForcibly().waitFor();

      await().atMost(UNDONE_TIME_MAX).until(() -> !Files.exists(Path.of(folder)));
      assertThat(Files.readString(Path.of("/proc/mounts"))).doesNotContain(folder);
      assertThat(Command.run("losetup", "-nO", "BACK-FILE")).doesNotContain(folder);
      assertThat(Command.run("ps", "axo", "args")).doesNotContain("tail -f " + folder);
    } finally {
      owner.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
    }
  }
}
