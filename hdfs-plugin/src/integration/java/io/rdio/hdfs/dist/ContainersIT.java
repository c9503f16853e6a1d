// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kubernetes' own schemas and hadolint on what the tarball has for containers. */
final class ContainersIT {
  private static final Path DIST = Path.of("src", "main", "dist");
  private static final Path AGENT = DIST.resolve("kubernetes/agent-daemonset.yaml");
  private static final Path CLIENT = DIST.resolve("kubernetes/client-pod.yaml");
  private static final Path CONTAINERFILE = DIST.resolve("container/Containerfile");

  private static final Path TOOLS =
      Path.of(System.getenv().getOrDefault("HOME", "/root"), ".cache", "rdio", "container-checks");

  @TempDir Path folder;

  @BeforeAll
  static void requireTools() {
    Requirements.require(
        Files.isRegularFile(TOOLS.resolve("rdio-version")),
        "there are no kubernetes-validate and hadolint: bin/test fetches them");
  }

  /** The oldest and the newest release whose schemas it has. */
  @ParameterizedTest
  @ValueSource(strings = {"1.25", "1.37"})
  void manifestsAreOfTheSchema(String version) throws IOException {
    String validated = validate(version, AGENT, CLIENT);
    // What it has no schema for it only warns of.
    assertThat(validated.lines()).hasSize(7).allMatch(line -> line.startsWith("INFO "));
  }

  @ParameterizedTest
  @CsvSource({
    "livenessProbe:, livenessprobe:, livenessprobe",
    "capacity:, capacities:, capacities",
    "periodSeconds: 15, periodSeconds: soon, is not of type",
    "selector:, selectors:, is a required property",
  })
  void whatTheSchemaForbidsIsFound(String good, String bad, String named) throws IOException {
    Path changed = changed(AGENT, good, bad);
    assertThatThrownBy(() -> validate("1.37", changed))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ERROR ")
        .hasMessageContaining(named);
  }

  @Test
  void hadolintFindsNothing() throws IOException {
    assertThat(hadolint(CONTAINERFILE)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "CMD [\"agent\"], CMD agent, DL3025",
    "RUN sha256sum, RUN cd /tmp && sha256sum, DL3003",
    "USER ${RDIO_ID}, USER root, DL3002",
    "FROM ${BASE} AS unpacked, FROM ${BASE}, DL3022",
  })
  void whatHadolintForbidsIsFound(String good, String bad, String rule) throws IOException {
    Path changed = changed(CONTAINERFILE, good, bad);
    assertThatThrownBy(() -> hadolint(changed)).hasMessageContaining(rule);
  }

  private Path changed(Path file, String good, String bad) throws IOException {
    String text = Files.readString(file);
    String changed = text.replace(good, bad);
    assertThat(changed).isNotEqualTo(text);
    return Files.writeString(folder.resolve(file.getFileName()), changed);
  }

  private static String validate(String version, Path... manifests) throws IOException {
    String[] command = new String[4 + manifests.length];
    command[0] = TOOLS.resolve("bin/kubernetes-validate").toString();
    command[1] = "--strict";
    command[2] = "--kubernetes-version";
    command[3] = version;
    for (int i = 0; i < manifests.length; i++) {
      command[4 + i] = manifests[i].toString();
    }
    return Command.run(command);
  }

  /** Without what a user has configured. */
  private static String hadolint(Path file) throws IOException {
    return Command.run(
        "env",
        "HOME=/nonexistent",
        "XDG_CONFIG_HOME=/nonexistent",
        TOOLS.resolve("bin/hadolint").toString(),
        "--no-color",
        file.toString());
  }
}
