// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said where grants could not work. */
final class PlatformCheckTest {
  /** Stands for Hadoop 3.4's LockLevel, which has no DIR. */
  public enum OldLockLevel {
    BLOCK_POOL,
    VOLUME
  }

  @Test
  void thisPlatformServes() {
    assertThatCode(PlatformCheck::run).doesNotThrowAnyException();
  }

  @Test
  void hadoopThatLacksWhatGrantsNeedIsNamed() {
    String name = OldLockLevel.class.getName();

    assertThatThrownBy(
            () -> PlatformCheck.run("Linux", List.of(new PlatformCheck.Need(name, "DIR"))))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining(name + ".DIR")
        .hasMessageContaining("fix: run this DataNode on Hadoop 3.3.6, 3.4 or 3.5");
    assertThatThrownBy(
            () -> PlatformCheck.run("Linux", List.of(new PlatformCheck.Need("no.Such", "x"))))
        .hasMessageContaining("no.Such");
    assertThat(new PlatformCheck.Need(name, "VOLUME").missing()).isNull();
  }

  @Test
  void otherSystemsAreNamed() {
    assertThatThrownBy(() -> PlatformCheck.run("Windows 11", List.of()))
        .hasMessageContaining("this is Windows 11");
  }

  @Test
  void libraryThatCannotBeLoadedIsNamedWithTheFix() throws Exception {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Djffi.extract.dir=/proc",
                "-cp",
                System.getProperty("java.class.path"),
                CheckMain.class.getName())
            .redirectErrorStream(true)
            .start();
    String output;
    try (var out = jvm.getInputStream()) {
      output = new String(out.readAllBytes(), StandardCharsets.UTF_8);
    }

    assertThat(jvm.waitFor()).as(output).isEqualTo(3);
    assertThat(output)
        .contains("jnr-ffi's native library cannot be loaded", "fix: let java.io.tmpdir");
  }

  /** The check in a JVM of its own. */
  public static final class CheckMain {
    private CheckMain() {}

    public static void main(String[] args) {
      try {
        PlatformCheck.run();
      } catch (UnsupportedOperationException e) {
        System.out.println(e.getMessage());
        System.exit(3);
      }
    }
  }
}
