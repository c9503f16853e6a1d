// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackPolicy;
import io.rdio.core.FallbackReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/troubleshooting.md has a chapter for each reason, and names what there is. */
class TroubleshootingDocTest {
  private static final Path PAGE = Path.of("..", "docs", "troubleshooting.md");
  private static final int LEAST_LINES = 2;
  private static final Pattern HEADING = Pattern.compile("### `(\\w+)`");
  private static final Pattern KEY = Pattern.compile("dfs(?:\\.[a-z]+)*\\.rdio(?:\\.[a-z-]+)*");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)[^)\\s]*\\)");

  /**
   * One chapter.
   *
   * @param lines that are not empty, the first one with what follows from the reason
   */
  private record Chapter(String name, List<String> lines) {}

  @Test
  void chaptersAreThoseOfTheReasonsInTheirOrder() throws IOException {
    List<String> reasons = Arrays.stream(FallbackReason.values()).map(Enum::name).toList();
    List<String> chapters = chapters().stream().map(Chapter::name).toList();
    List<String> missing = new ArrayList<>();
    for (int i = 0; i < reasons.size(); i++) {
      if (!chapters.contains(reasons.get(i))) {
        missing.add(
            reasons.get(i) + (i == 0 ? " as the first" : " behind that of " + reasons.get(i - 1)));
      }
    }
    List<String> tooMany = new ArrayList<>(chapters);
    tooMany.removeAll(reasons);
    assertThat(chapters)
        .as(
            "docs/troubleshooting.md has a chapter '### `NAME`' for each constant of"
                + " FallbackReason, in its order. To be added: %s. No constant has the name of: %s",
            missing, tooMany)
        .isEqualTo(reasons);
  }

  @Test
  void chaptersBeginWithWhatFollowsFromTheReason() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Chapter chapter : chapters()) {
      for (FallbackReason reason : FallbackReason.values()) {
        String line = whatFollows(reason.policy());
        boolean has = !chapter.lines().isEmpty() && chapter.lines().get(0).equals(line);
        if (reason.name().equals(chapter.name()) && !has) {
          wrong.add(chapter.name() + ": " + line);
        }
      }
    }
    assertThat(wrong)
        .as(
            "docs/troubleshooting.md: the first line below these headings is to be the scope,"
                + " memory and level of the reason's policy, as shown here")
        .isEmpty();
  }

  @Test
  void chaptersSaySomething() throws IOException {
    List<String> tooShort = new ArrayList<>();
    for (Chapter chapter : chapters()) {
      if (chapter.lines().size() <= LEAST_LINES) { // the first one is what follows
        tooShort.add(chapter.name());
      }
    }
    assertThat(tooShort)
        .as(
            "docs/troubleshooting.md: to these chapters add what happened, where to look closer and"
                + " what to do, in %s lines at least",
            LEAST_LINES)
        .isEmpty();
  }

  @Test
  void keysAreThoseOfTheXml() throws Exception {
    Set<String> unknown = new TreeSet<>(found(KEY, 0));
    unknown.removeAll(DefaultsXml.keys());
    assertThat(unknown)
        .as("docs/troubleshooting.md names keys that are not in rdio-default.xml: correct them")
        .isEmpty();
  }

  @Test
  void linksLeadToFiles() throws IOException {
    List<String> broken = new ArrayList<>();
    for (String link : found(LINK, 1)) {
      if (!link.contains("://") && !Files.exists(PAGE.resolveSibling(link))) {
        broken.add(link);
      }
    }
    assertThat(broken)
        .as("docs/troubleshooting.md has links to files that are not there: correct them")
        .isEmpty();
  }

  private static String whatFollows(FallbackPolicy policy) {
    String level =
        switch (policy.loudness()) {
          case ROUTINE -> "DEBUG";
          case NOTEWORTHY -> "WARN";
          case ALARMING -> "ERROR";
        };
    return "*" + word(policy.scope()) + ", " + word(policy.memory()) + ", " + level + "*";
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static List<Chapter> chapters() throws IOException {
    List<Chapter> chapters = new ArrayList<>();
    List<String> lines = new ArrayList<>(); // of no chapter
    for (String line : Files.readAllLines(PAGE)) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        lines = new ArrayList<>();
        chapters.add(new Chapter(heading.group(1), lines));
      } else if (line.startsWith("#")) {
        lines = new ArrayList<>();
      } else if (!line.isBlank()) {
        lines.add(line);
      }
    }
    return chapters;
  }

  private static List<String> found(Pattern what, int group) throws IOException {
    List<String> found = new ArrayList<>();
    Matcher matcher = what.matcher(Files.readString(PAGE));
    while (matcher.find()) {
      found.add(matcher.group(group));
    }
    return found;
  }
}
