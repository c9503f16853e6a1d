// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The Containerfile goes by what the tarball has and the manifests say; hadolint knows the rest.
 */
final class ContainerfileTest {
  private static final Path DIST = Path.of("src", "main", "dist");

  /** An instruction with its arguments, in one line; no comment is one. */
  private static final Pattern INSTRUCTION = Pattern.compile("(?m)^([A-Z]+) +(.*)$");

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)}");
  private static final Pattern OF_THE_TARBALL = Pattern.compile("/opt/rdio/([\\w./-]+)");

  private static final String TEXT = read().replace("\\\n", " ");

  private static String read() {
    try {
      return Files.readString(DIST.resolve("container/Containerfile"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> arguments(String instruction) {
    return INSTRUCTION
        .matcher(TEXT)
        .results()
        .filter(found -> found.group(1).equals(instruction))
        .map(found -> found.group(2).strip())
        .toList();
  }

  private static String last(String instruction) {
    List<String> all = arguments(instruction);
    return all.get(all.size() - 1);
  }

  @Test
  void baseHasATagThatSaysItsJava() {
    assertThat(arguments("ARG")).element(0).asString().matches("BASE=[\\w./-]+:17[\\w.-]*");
    assertThat(arguments("FROM")).allMatch(from -> from.matches("\\$\\{BASE}( AS unpacked)?"));
  }

  @Test
  void everyVariableIsAnArgument() {
    Set<String> arguments =
        arguments("ARG").stream()
            .map(argument -> argument.replaceFirst("=.*", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    arguments.add("PATH"); // the base's
    assertThat(VARIABLE.matcher(TEXT).results().map(found -> found.group(1)))
        .isNotEmpty()
        .isSubsetOf(arguments);
  }

  /**
   * What is copied comes from the folder that the first comment describes, or from the first stage.
   */
  @Test
  void copiesWhatIsThere() {
    assertThat(arguments("COPY"))
        .containsExactly(
            "${RDIO}.tar.gz ${RDIO}.tar.gz.sha256 ${HADOOP}.tar.gz ./",
            "--from=unpacked /opt/rdio /opt/rdio",
            "--from=unpacked /opt/hadoop /opt/hadoop");
    assertThat(arguments("RUN").get(0)).contains("mkdir /opt/rdio /opt/hadoop");
  }

  @Test
  void namesFilesThatTheTarballHas() {
    Matcher named = OF_THE_TARBALL.matcher(TEXT);
    assertThat(named.results().map(found -> found.group(1)).filter(name -> !name.endsWith(".jar")))
        .isNotEmpty()
        .allSatisfy(name -> assertThat(DIST.resolve(name)).isRegularFile());
    // The link that it makes by itself, and starts.
    assertThat(arguments("RUN").get(0)).contains("ln -s \"${RDIO}.jar\" /opt/rdio/rdio-hdfs.jar");
    assertThat(last("ENTRYPOINT")).contains("\"/opt/rdio/rdio-hdfs.jar\"");
  }

  @Test
  void runsAsTheUserOfTheManifests() throws IOException {
    assertThat(last("USER")).isEqualTo("${RDIO_ID}");
    String user =
        arguments("ARG").stream()
            .filter(argument -> argument.startsWith("RDIO_ID="))
            .collect(Collectors.joining())
            .replaceFirst(".*=", "");
    assertThat(user).matches("[1-9]\\d{3,}");
    assertThat(DIST.resolve("kubernetes/agent-daemonset.yaml"))
        .content()
        .contains("runAsUser: " + user + "\n", "runAsGroup: " + user + "\n");
    assertThat(DIST.resolve("kubernetes/agent-daemonset.yaml"))
        .content()
        .contains("- " + user + ":" + user + "\n");
  }

  /** Or a shell would get the signal that is to end the agent. */
  @Test
  void startsWithoutAShell() {
    assertThat(List.of(last("ENTRYPOINT"), last("CMD"))).allMatch(list -> list.startsWith("[\""));
  }
}
