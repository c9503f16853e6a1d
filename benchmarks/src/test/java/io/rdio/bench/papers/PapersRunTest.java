// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.hdfs.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PapersRunTest {
  private static final Machine MACHINE =
      new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");

  private static final Machine OTHER = new Machine("other", 2, 1, "Linux", "JVM", "");

  @TempDir private Path folder;

  private final StringWriter progress = new StringWriter();
  private final SamplePart part = new SamplePart("sample", 12);

  private List<Verdict> run(boolean quick, Figure... figures) throws IOException {
    return run(MACHINE, quick, figures);
  }

  private List<Verdict> run(Machine machine, boolean quick, Figure... figures) throws IOException {
    return run(new FinishedParts(folder, machine, false), quick, figures);
  }

  private List<Verdict> run(FinishedParts finished, boolean quick, Figure... figures)
      throws IOException {
    return new PapersRun(finished, folder, List.of(), quick, () -> 0L, new PrintWriter(progress))
        .run(List.of(figures));
  }

  private static JsonNode json(List<Verdict> verdicts) throws IOException {
    String json = new PapersReport("bin/rdio bench papers", MACHINE, false, verdicts).json();
    return new ObjectMapper().readTree(json);
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  @Test
  void jsonHasTheFieldsThatWereAgreed() throws IOException {
    JsonNode json = json(run(false, part.figure("3a")));
    assertThat(names(json)).containsExactly("figures");
    JsonNode figure = json.at("/figures/0");
    assertThat(names(figure)).containsExactly("id", "shape", "why", "ours", "paper");
    assertThat(figure.at("/id").asText()).isEqualTo("rdio-3a");
    assertThat(figure.at("/shape").asText()).isEqualTo("as in the paper");
    assertThat(figure.at("/why").asText()).isEqualTo("loopback & loop devices");
    assertThat(figure.at("/ours/0/lines/a/1").asDouble()).isEqualTo(12);
    assertThat(figure.at("/paper/source").asText()).isEqualTo("§ 5");
    assertThat(figure.at("/paper/says").toString()).contains("Not published as a number");
  }

  @Test
  void anotherOrderingDiffersAndSaysWhich() throws IOException {
    List<Verdict> verdicts = run(false, new SamplePart("slow", 9.5).figure("3a"));
    assertThat(verdicts.get(0).isBad()).isTrue();
    JsonNode figure = json(verdicts).at("/figures/0");
    assertThat(figure.at("/shape").asText()).isEqualTo("differs");
    assertThat(figure.at("/why").asText())
        .startsWith("a is as fast as b: no, a at 1 (speed) is 9.5000, not at least 10.0");
  }

  @Test
  void knownDifferenceIsNoFailure() throws IOException {
    Check check =
        Check.that("a is twice as fast", Check.atLeast(Check.at("speed", "a", "1"), 20))
            .unlikelyHere("two cores");
    Figure figure =
        Figure.of(Paper.RDIO, "3b", "speed", Published.plotOnly("§ 5"))
            .shows(part, SamplePart.PANEL)
            .expects(check)
            .build();
    Verdict verdict = run(false, figure).get(0);
    assertThat(verdict.shape()).isEqualTo("differs");
    assertThat(verdict.why()).endsWith("; known: two cores");
    assertThat(verdict.isBad()).isFalse();
  }

  @Test
  void partOfSeveralFiguresIsRunOnce() throws IOException {
    run(false, part.figure("3a"), part.figure("3b"));
    assertThat(part.runs).isEqualTo(1);
  }

  @Test
  void finishedPartIsNotRunAgain() throws IOException {
    List<Verdict> before = run(false, part.figure("3a"));
    List<Verdict> after = run(false, part.figure("3a"));
    assertThat(part.runs).isEqualTo(1);
    assertThat(progress.toString()).contains("done before");
    assertThat(json(after)).isEqualTo(json(before));
  }

  @Test
  void finishedPartOfAnotherSizeOrMachineIsRunAgain() throws IOException {
    run(true, part.figure("3a"));
    run(false, part.figure("3a"));
    assertThat(part.runs).isEqualTo(2);
    run(OTHER, false, part.figure("3a"));
    assertThat(part.runs).isEqualTo(3);
  }

  @Test
  void finishedPartOfAnotherMachineIsKeptIfThatWillDoAndItsFiguresNameIt() throws IOException {
    List<Verdict> before = run(false, part.figure("3a"));
    part.obstacle = "the other machine cannot run it";
    SamplePart own = new SamplePart("own", 12);
    List<Verdict> after =
        run(new FinishedParts(folder, OTHER, true), false, part.figure("3a"), own.figure("3b"));
    assertThat(part.runs).isEqualTo(1);
    String elsewhere = "Measured elsewhere: sample on CPU, 2 cores, Linux, JVM";
    assertThat(after.get(0).why()).endsWith(". " + elsewhere);
    assertThat(after.get(0).shape()).isEqualTo("as in the paper");
    assertThat(json(after).at("/figures/0/ours")).isEqualTo(json(before).at("/figures/0/ours"));
    assertThat(after.get(1).elsewhere()).isEmpty();

    PapersReport report = new PapersReport("bin/rdio bench papers", OTHER, false, after);
    assertThat(report.text()).contains("on other machines", "sample on CPU, 2 cores");
    assertThat(report.html()).contains("on other machines", elsewhere);
    report = new PapersReport("bin/rdio bench papers", MACHINE, false, before);
    assertThat(report.text() + report.html()).doesNotContain("on other machines", "elsewhere");
  }

  @Test
  void clearedStoreHasNothing() throws IOException {
    run(false, part.figure("3a"));
    new FinishedParts(folder, MACHINE, false).clear();
    run(false, part.figure("3a"));
    assertThat(part.runs).isEqualTo(2);
  }

  @Test
  void failedPartTakesItsFiguresOnlyAndIsRunAgain() throws IOException {
    SamplePart broken = new SamplePart("broken", 12);
    broken.fails = true;
    List<Verdict> verdicts = run(false, broken.figure("3a"), part.figure("3b"));
    assertThat(verdicts.get(0).isBad()).isTrue();
    assertThat(verdicts.get(0).why()).isEqualTo("not run: broken: the disk is gone");
    assertThat(json(verdicts).at("/figures/0/ours").isNull()).isTrue();
    assertThat(verdicts.get(1).shape()).isEqualTo("as in the paper");
    broken.fails = false;
    assertThat(run(false, broken.figure("3a")).get(0).isBad()).isFalse();
    assertThat(broken.runs).isEqualTo(2);
  }

  @Test
  void partThatFailsByAFaultOfItsOwnTakesItsFiguresOnly() throws IOException {
    SamplePart faulty = new SamplePart("faulty", 12);
    faulty.hasFault = true;
    List<Verdict> verdicts = run(false, faulty.figure("3a"), part.figure("3b"));
    assertThat(verdicts.get(0).label()).isEqualTo("failed");
    assertThat(verdicts.get(0).why())
        .isEqualTo("not run: faulty: java.util.NoSuchElementException");
    assertThat(verdicts.get(1).shape()).isEqualTo("as in the paper");
  }

  @Test
  void partThatIsNotDoneInTimeFails() throws IOException {
    part.bound = Duration.ZERO;
    assertThat(run(false, part.figure("3a")).get(0).why())
        .isEqualTo("not run: sample: not done within its bound of 0 s");
  }

  @Test
  void whatCannotBeRunHereIsListedWithTheReason() throws IOException {
    part.obstacle = "there are no control groups of version 1";
    List<Verdict> verdicts =
        run(
            false,
            part.figure("3a"),
            Figure.of(Paper.RDIO, "5a", "parity", Published.plotOnly("§ 5"))
                .cannotRun("there is no deferred parity"));
    assertThat(part.runs).isZero();
    assertThat(verdicts).noneMatch(Verdict::isBad);
    assertThat(verdicts.stream().map(Verdict::why))
        .containsExactly(
            "not run: there are no control groups of version 1",
            "not run: there is no deferred parity");
    assertThat(verdicts.stream().map(Verdict::label)).containsOnly("not run");
  }

  @Test
  void longPartHasNoPartInAQuickRun() throws IOException {
    part.inQuick = false;
    assertThat(run(true, part.figure("3a")).get(0).label()).isEqualTo("not run");
    assertThat(part.runs).isZero();
    assertThat(run(false, part.figure("3a")).get(0).label()).isEqualTo("as in the paper");
  }

  @Test
  void damagedFileSaysWhichAndHowToGoOn() throws IOException {
    Files.writeString(folder.resolve("sample.part.json"), "{\"runs\":");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> run(false, part.figure("3a")))
        .withMessageContaining("sample.part.json")
        .withMessageContaining("remove it, or run without --resume");
  }

  @Test
  void pageNeedsNothingButItselfAndTextIsNoMarkup() throws IOException {
    String html =
        new PapersReport("bin/rdio <bench>", MACHINE, true, run(true, part.figure("3a"))).html();
    assertThat(html)
        .contains(
            "<svg", "speed &lt;of&gt; 3a", "loopback &amp; loop devices", "rdio &lt;bench&gt;")
        .doesNotContain("<script", "<link", "<img", "xlink", "url(", "://", "<of>");
  }
}
