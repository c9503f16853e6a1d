// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** README.md knows the options that the commands have, and no others. */
class ReadmeTest {
  private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*");
  private static final String COMMAND = "bin/rdio bench ";
  private static final Set<String> OF_ALL = Set.of("--help", "--version");

  /** Of {@code bin/rdio pattern}, a program in C. */
  private static final Set<String> OF_PATTERN = Set.of("--cooperative");

  /** The chapter of each command that is to have all of its options. */
  private static final Map<String, String> CHAPTERS =
      Map.of(
          "read", "`read` and `ycsb`",
          "ycsb", "`read` and `ycsb`",
          "write", "`write`",
          "scale", "`scale`",
          "papers", "The papers' figures");

  private static String readme() throws IOException {
    return Files.readString(Path.of("README.md"));
  }

  private static String chapter(String heading) throws IOException {
    String text = readme() + "\n## ";
    int begin = text.indexOf("\n## " + heading + "\n");
    assertThat(begin).as(heading).isNotNegative();
    return text.substring(begin, text.indexOf("\n## ", begin + 1));
  }

  private static Set<String> optionsIn(String text) {
    Set<String> options =
        OPTION
            .matcher(text)
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toCollection(TreeSet::new));
    options.removeAll(OF_ALL);
    options.removeAll(OF_PATTERN);
    return options;
  }

  private static Set<String> options(CommandLine command) {
    Set<String> options = new TreeSet<>(command.getCommandSpec().optionsMap().keySet());
    options.removeIf(name -> !name.startsWith("--") || OF_ALL.contains(name));
    return options;
  }

  @Test
  void hasEachOptionInItsCommandsChapter() throws IOException {
    for (Map.Entry<String, String> entry : CHAPTERS.entrySet()) {
      String name = entry.getKey();
      CommandLine command = Bench.commandLine().getSubcommands().get(name);
      assertThat(optionsIn(chapter(entry.getValue())))
          .as("options of bench %s", name)
          .containsAll(options(Objects.requireNonNull(command, name)));
    }
  }

  @Test
  void hasNoOptionThatNoCommandHas() throws IOException {
    Set<String> all = new TreeSet<>();
    Bench.commandLine().getSubcommands().values().forEach(command -> all.addAll(options(command)));
    assertThat(all).containsAll(optionsIn(readme()));
  }

  @Test
  void linesOfItCanBeRun() throws IOException {
    List<String> lines =
        readme()
            .replace("\\\n", "")
            .lines()
            .filter(line -> line.startsWith(COMMAND) && !line.endsWith(" COMMAND"))
            .map(line -> line.substring(COMMAND.length()).replace("'", ""))
            .toList();
    assertThat(lines).hasSizeGreaterThan(10);
    for (String line : lines) {
      assertThatCode(() -> Bench.commandLine().parseArgs(line.split(" +", -1)))
          .as(line)
          .doesNotThrowAnyException();
    }
  }
}
