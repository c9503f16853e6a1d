// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("loop")
class TeardownIT {
  private static final Duration START_TIME_MAX = Duration.ofMinutes(2);
  private static final Duration UNDONE_TIME_MAX = Duration.ofSeconds(60);
  private static final Path LOG = Path.of("target", "teardown.err");
  private static final Path GROUPS = Path.of("/sys/fs/cgroup/memory");

  /** Makes a volume and a process, says where, and stays as long as the test. */
  static final class Owner {
    private Owner() {}

    public static void main(String[] args) throws IOException {
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
      System.in.read();
    }
  }

  /** Is in a control group that it made, says where its folder is, and stays as the other. */
  static final class Member {
    private Member() {}

    public static void main(String[] args) throws IOException {
      Path folder = Files.createTempDirectory("rdio-teardown-");
      Path group = group(folder);
      Teardown.of(folder).removeGroupLater(group);
      Files.createDirectory(group);
      String pid = Long.toString(ProcessHandle.current().pid());
      Files.writeString(group.resolve("cgroup.procs"), pid);
      System.out.println(folder);
      System.in.read();
    }
  }

  private static Path group(Path folder) {
    return GROUPS.resolve(String.valueOf(folder.getFileName()));
  }

  private static Process start(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(LOG.toFile()).start();
  }

  /** Where a process says that its folder is. */
  private static Path folderOf(Process process) throws IOException {
    return Path.of(ProcessLines.of(process, "the JVM", LOG).next("its folder", START_TIME_MAX));
  }

  /** By a signal its own hook waits for the guard, so that it is in the group all the while. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noControlGroupIsLeftOfItsMember(boolean killed) throws Exception {
    Requirements.require(
        Files.isWritable(GROUPS.resolve("cgroup.procs")),
        GROUPS + " is not a writable control group of version 1");
    Process member = start(Member.class);
    try {
      Path folder = folderOf(member);
      assertThat(group(folder).resolve("cgroup.procs")).content().contains("" + member.pid());
      if (killed) {
        member.destroyForcibly();
      } else {
        member.destroy();
      }
      assertThat(member.waitFor(1, TimeUnit.MINUTES)).isTrue();

      await().atMost(UNDONE_TIME_MAX).until(() -> !Files.exists(folder));
      assertThat(group(folder)).doesNotExist();
    } finally {
      member.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
    }
  }

  @ParameterizedTest
  @EnumSource(Backing.class)
  void nothingIsLeftOfAJvmThatWasKilled(Backing backing) throws Exception {
    Requirements.requireLoop("ext4");
    Process owner = start(Owner.class, backing.name());
    try {
      String folder = folderOf(owner).toString();
      assertThat(Path.of(folder, "volume", "mount")).isDirectory();
      assertThat(Command.run("losetup", "-nO", "BACK-FILE")).contains(folder);

      ProcessEnd.kill(owner);

      await().atMost(UNDONE_TIME_MAX).until(() -> !Files.exists(Path.of(folder)));
      assertThat(Files.readString(Path.of("/proc/mounts"))).doesNotContain(folder);
      assertThat(Command.run("losetup", "-nO", "BACK-FILE")).doesNotContain(folder);
      assertThat(Command.run("ps", "axo", "args")).doesNotContain("tail -f " + folder);
    } finally {
      owner.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
    }
  }
}
