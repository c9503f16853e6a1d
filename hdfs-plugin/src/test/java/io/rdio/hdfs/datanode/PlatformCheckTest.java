// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.hdfs.cluster.ProcessEnd;
import java.nio.file.Path;
import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.api.Test;

/** What is said where grants could not work. */
final class PlatformCheckTest {
  @Test
  void thisPlatformServes() {
    assertThatCode(PlatformCheck::run).doesNotThrowAnyException();
  }

  @Test
  void hadoopThatLacksWhatGrantsNeedIsNamed() {
    assertThatThrownBy(() -> PlatformCheck.run("Linux", () -> "a.Class.method ()V"))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("Hadoop " + VersionInfo.getVersion() + " has no a.Class.method ()V")
        .hasMessageContaining("fix: run this DataNode on Hadoop 3.3.6, 3.4 or 3.5");
  }

  @Test
  void otherSystemsAreNamed() {
    assertThatThrownBy(() -> PlatformCheck.run("Windows 11", () -> null))
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

    ProcessEnd end = ProcessEnd.of(jvm, "the JVM");

    assertThat(end.status()).as(end.output()).isEqualTo(3);
    assertThat(end.output())
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
