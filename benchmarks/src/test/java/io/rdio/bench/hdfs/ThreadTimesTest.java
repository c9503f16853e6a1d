// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import io.rdio.hdfs.cluster.Proc.ThreadCpu;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadTimesTest {
  private static final double ROUNDING = 1e-9;

  @ParameterizedTest
  @CsvSource({
    "C1 CompilerThre, COMPILERS",
    "C2 CompilerThre, COMPILERS",
    "C2 Comp..hread0, COMPILERS",
    "G1 Main Marker, COLLECTORS",
    "G1 Conc#0, COLLECTORS",
    "GC Thread#1, COLLECTORS",
    "rdio-grant-call, RDIO",
    "rdio-volume /da, RDIO",
    "DataXceiver for, REST",
    "VM Thread, REST",
    "java, REST",
  })
  void aThreadIsWhatItsNameBeginsWith(String name, CpuGroup group) {
    assertThat(CpuGroup.of(name)).isEqualTo(group);
  }

  private static ThreadCpu thread(String name, double seconds) {
    return new ThreadCpu(name, seconds);
  }

  @Test
  void threadsOfAllDataNodesAreTakenTogetherByGroups() {
    ThreadTimes before =
        new ThreadTimes(
            List.of(
                Map.of(
                    1L, thread("C1 CompilerThre", 3),
                    2L, thread("C2 CompilerThre", 8),
                    3L, thread("rdio-net-1", 1),
                    4L, thread("DataXceiver for", 5)),
                Map.of(1L, thread("C2 CompilerThre", 2))));
    ThreadTimes behind =
        new ThreadTimes(
            List.of(
                Map.of(
                    1L, thread("C1 CompilerThre", 3.5),
                    2L, thread("C2 CompilerThre", 9),
                    3L, thread("rdio-net-1", 1.25),
                    5L, thread("rdio-call-7", 0.5)),
                Map.of(1L, thread("C2 CompilerThre", 4))));

    CpuByGroup used = behind.since(before, 5);

    assertThat(used.of(CpuGroup.COMPILERS)).isCloseTo(3.5, within(ROUNDING));
    assertThat(used.of(CpuGroup.RDIO)).as("one of them is new").isCloseTo(0.75, within(ROUNDING));
    assertThat(used.of(CpuGroup.COLLECTORS)).isZero();
    assertThat(used.of(CpuGroup.REST)).as("of one that has ended").isZero();
    assertThat(used.of(CpuGroup.ENDED)).isCloseTo(0.75, within(ROUNDING));
  }

  @Test
  void anIdThatAnotherThreadHadIsANewThread() {
    ThreadTimes before = new ThreadTimes(List.of(Map.of(1L, thread("DataXceiver for", 5))));
    ThreadTimes behind = new ThreadTimes(List.of(Map.of(1L, thread("rdio-call-8", 0.25))));
    CpuByGroup used = behind.since(before, 0.25);
    assertThat(used.of(CpuGroup.RDIO)).isEqualTo(0.25);
    assertThat(used.of(CpuGroup.ENDED)).isZero();
  }

  @Test
  void ticksThatThreadsHaveAheadOfTheirProcessAreNobodysLoss() {
    ThreadTimes before = new ThreadTimes(List.of(Map.of()));
    ThreadTimes behind = new ThreadTimes(List.of(Map.of(1L, thread("java", 0.5))));
    assertThat(behind.since(before, 0.25).of(CpuGroup.ENDED)).isZero();
  }

  @Test
  void aPassHasThemForEachGigabyte() {
    Answer answer =
        Answer.of(new Totals(500_000_000, 1, 1, 0, 0), Counters.ofBytes(500_000_000, 0));
    Pass pass =
        new Pass(Way.AGENT, answer, 0.5, 0, 0, 0)
            .with(new CpuByGroup(Map.of(CpuGroup.COMPILERS, 0.25)))
            .with(new ParityLag(1, 0, 0, 0));
    assertThat(pass.threadsCpuPerGigabyte(CpuGroup.COMPILERS)).isEqualTo(0.5);
    assertThat(pass.threadsCpuPerGigabyte(CpuGroup.REST)).isZero();
    assertThat(pass.parity().groups()).isEqualTo(1);
  }
}
