// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CutWriteTest {
  static Stream<String> clauses() {
    return CutWrite.CLAUSES.stream();
  }

  private static Map<String, Boolean> all() {
    Map<String, Boolean> clauses = new HashMap<>();
    CutWrite.CLAUSES.forEach(clause -> clauses.put(clause, true));
    return clauses;
  }

  @Test
  void itIsAsItShouldBeWhenAllClausesHold() {
    CutWrite cut = new CutWrite("a cable", all(), 41.5, "closed");

    assertThat(cut.ok()).isTrue();
    assertThat(cut.line()).contains("a cable", " ok ", " 41.5 s", "closed").doesNotContain("not:");
    assertThat(cut.fields())
        .containsEntry("ok", true)
        .containsEntry("slots_back_s", 41.5)
        .containsEntry("detail", "closed")
        .containsAllEntriesOf(all());
  }

  @ParameterizedTest
  @MethodSource("clauses")
  void eachClauseCounts(String clause) {
    Map<String, Boolean> missed = all();
    missed.put(clause, false);
    Map<String, Boolean> notLookedAt = all();
    notLookedAt.remove(clause);

    for (Map<String, Boolean> clauses : List.of(missed, notLookedAt)) {
      CutWrite cut = new CutWrite("a cable", clauses, 41.5, "closed");
      assertThat(cut.ok()).isFalse();
      assertThat(cut.line()).contains("FAILED", "not: " + clause + "; ");
      assertThat(cut.fields()).containsEntry(clause, false);
    }
  }

  @Test
  void whatCouldNotBePlayedHasItsCause() {
    CutWrite cut = CutWrite.failed("a cable", new IOException("two\nlines"));

    assertThat(cut.ok()).isFalse();
    assertThat(cut.fields())
        .containsEntry("detail", "java.io.IOException: two lines")
        .doesNotContainKey("slots_back_s");
  }
}
