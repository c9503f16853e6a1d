// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.jdks;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import io.rdio.bench.client.SampleAnswers;
import io.rdio.bench.client.Task;
import io.rdio.bench.client.Task.Kind;
import io.rdio.bench.jdks.JavaClients.Client;
import org.junit.jupiter.api.Test;

class JdksFindingsTest {
  private static final Answer NOTHING =
      Answer.of(new Totals(0, 0, 0, 0, 0), Counters.ofBytes(0, 0));

  private final JdksFindings findings = new JdksFindings();

  /** Reads take 100 µs, CRCs by librdio 200 and by Java 300. */
  private void addRound(String java, boolean hasLibrary) {
    Client client = new Client(java, "heap", null);
    for (Figure.Load load : Figure.loads()) {
      Answer answer =
          switch (load.kind()) {
            case CRC_BY_LIBRARY -> hasLibrary ? SampleAnswers.of(0, 0, 200) : NOTHING;
            case CRC_BY_JAVA -> SampleAnswers.of(0, 0, 300);
            default -> SampleAnswers.of(0, 0, 100);
          };
      findings.add(client, load, answer);
    }
  }

  @Test
  void aRowSaysByWhomCrcsAreAndWhatTheyTakeByEach() {
    addRound("25", true);
    addRound("17", false);
    assertThat(findings.text())
        .containsPattern("25 +heap +librdio +1000 \\(.* 100 \\(.* 100 \\(.* 200 \\(.* 300 \\(")
        .containsPattern("17 +heap +Java +1000 \\(.* 100 \\(.* 100 \\([^)]*\\) +– +300 \\(");
  }

  @Test
  void eachLoadIsDoneOnce() {
    assertThat(Figure.loads()).doesNotHaveDuplicates().hasSize(5);
    for (Figure.Load load : Figure.loads()) {
      Task task = load.task("/file", 2, 1);
      assertThat(task.kind()).isEqualTo(load.kind());
      assertThat(task.seconds()).isEqualTo(load.kind() == Kind.SEQUENTIAL ? 0.0 : 2.0);
    }
  }
}
