// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.ProcessEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Whoever builds a release makes the same one, bit for bit, wherever that is. */
@Tag("alone")
@EnabledIfSystemProperty(named = "rdio.test.all", matches = "true")
final class ReproducibleBuildIT {
  private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();
  private static final Path SCRIPT =
      Path.of("src/test/resources/io/rdio/hdfs/dist/build_copy.sh").toAbsolutePath();

  /** Where native/build.sh looks for what it links for linux-aarch64. */
  private static final Path LIBRARIES =
      Path.of(System.getenv().getOrDefault("HOME", "/root"), ".cache", "rdio", "aarch64");

  /** Of one build, without tests. */
  private static final Duration PATIENCE = Duration.ofHours(2);

  @TempDir Path folder;

  @Test
  void isTheSameInAnotherFolderUmaskTimeZoneAndLanguage() throws Exception {
    Requirements.require(
        Files.isDirectory(LIBRARIES),
        "there are no libraries of linux-aarch64: bin/lib/aarch64 " + LIBRARIES);
    Path linked = Files.createSymbolicLink(folder.resolve("libraries"), LIBRARIES);

    List<String> one = build("here", "0022", Map.of("TZ", "America/St_Johns", "LC_ALL", "C.UTF-8"));
    List<String> other =
        build(
            "some/where/else",
            "0077",
            Map.of(
                "TZ",
                "Pacific/Chatham",
                "LC_ALL",
                "C",
                // No machine has all locales; this is the one whose capital letters differ.
                "MAVEN_OPTS",
                "-Duser.language=tr -Duser.country=TR",
                "RDIO_AARCH64_SYSROOT",
                linked.toString()));

    assertThat(one)
        .map(line -> line.replaceFirst("^[0-9a-f]{64}  rdio-hdfs[-_][\\d.]+\\d", ""))
        .containsExactly(".jar", ".tar.gz", "_all.deb", ".cdx.json");
    assertThat(other).isEqualTo(one);
  }

  private List<String> build(String name, String umask, Map<String, String> environment)
      throws IOException {
    Path errors = folder.resolve("errors");
    ProcessBuilder builder =
        new ProcessBuilder(
                SCRIPT.toString(), CHECKOUT.toString(), folder.resolve(name).toString(), umask)
            .redirectError(errors.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    ProcessEnd end = ProcessEnd.of(process, "the build in " + name, PATIENCE);
    assertThat(end.status()).as(Files.readString(errors)).isZero();
    return end.output().lines().toList();
  }
}
