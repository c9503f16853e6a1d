// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PassesTest {
  private static Pass pass(Way way, long rdioBytes, long shortCircuitBytes) {
    Map<String, Long> fallbacks = rdioBytes < 1000 ? Map.of("LEASE_EXPIRED", 2L) : Map.of();
    Answer answer =
        Answer.of(
            new Totals(1000, 10, 0.5, 0.25, 0.125),
            new Counters(rdioBytes, shortCircuitBytes, 0, 0, 3, 1, fallbacks));
    return new Pass(way, answer, 0.125, 0, 20, 1100);
  }

  @Test
  void figuresOfAPass() {
    Pass pass = pass(Way.STOCK, 0, 0);
    assertThat(pass.megabytesPerSecond()).isEqualTo(0.002);
    assertThat(pass.readsPerSecond()).isEqualTo(20);
    assertThat(pass.clientCpuPerGigabyte()).isEqualTo(250_000);
    assertThat(pass.clientThreadsCpuPerGigabyte()).isEqualTo(125_000);
    assertThat(pass.dataNodeCpuPerGigabyte()).isEqualTo(125_000);
    assertThat(pass.cpuPerGigabyte()).isEqualTo(375_000);
    assertThat(pass.loopbackPerByte()).isEqualTo(0.02);
    assertThat(pass.devicePerByte()).isEqualTo(1.1);
    assertThat(pass.cacheHitRatio()).isEqualTo(0.75);
  }

  @Test
  void cpuOfAnAgentIsChargedToItsOwnWayAlone() {
    Answer answer = pass(Way.AGENT, 1000, 1000).answer();
    assertThat(new Pass(Way.AGENT, answer, 0.125, 0.5, 20, 1100).cpuPerGigabyte())
        .isEqualTo(875_000);
    for (Way way : List.of(Way.STOCK, Way.RDIO)) {
      Pass pass = new Pass(way, answer, 0.125, 0.5, 20, 1100);
      assertThat(pass.agentCpuPerGigabyte()).as(way.label()).isZero();
      assertThat(pass.cpuPerGigabyte()).as(way.label()).isEqualTo(375_000);
    }
  }

  @Test
  void everyWayThatDidWhatItsNameSays() {
    Passes<String> passes = new Passes<>();
    passes.add("reads", pass(Way.STOCK, 0, 0));
    passes.add("reads", pass(Way.SHORT_CIRCUIT, 0, 990));
    passes.add("reads", pass(Way.RDIO, 990, 990));
    passes.add("reads", pass(Way.RAW, 0, 0));
    assertThat(passes.wrongWays()).isEmpty();
    assertThat(passes.share(Way.RDIO)).isEqualTo(0.99);
  }

  @Test
  void rdioThatFellBackIsNamedWithItsReason() {
    Passes<String> passes = new Passes<>();
    passes.add("reads", pass(Way.RDIO, 1000, 1000));
    passes.add("more reads", pass(Way.RDIO, 970, 970));
    assertThat(passes.wrongWays())
        .containsExactly(
            "rdio, more reads: only 97.0 % of the bytes came by this way, not 99 %; fallbacks:"
                + " {LEASE_EXPIRED=2}");
  }

  @Test
  void shortCircuitThatDidNotWork() {
    Passes<String> passes = new Passes<>();
    passes.add("reads", pass(Way.SHORT_CIRCUIT, 1000, 0));
    assertThat(passes.wrongWays()).hasSize(1);
  }

  @Test
  void stockThatWasNot() {
    Passes<String> passes = new Passes<>();
    passes.add("reads", pass(Way.STOCK, 1000, 1000));
    assertThat(passes.wrongWays()).hasSize(1);
  }

  @Test
  void anotherWayBeginsEachRoundAndTheWarmUpIsNotKept() throws IOException {
    Passes<String> passes = new Passes<>();
    List<Way> order = new ArrayList<>();
    for (int round = 0; round <= 2; round++) {
      passes.round(
          round,
          "reads",
          List.of(Way.STOCK, Way.RDIO, Way.RAW),
          way -> {
            order.add(way);
            return pass(way, 1000, 1000);
          });
    }
    assertThat(order)
        .containsExactly(
            Way.STOCK, Way.RDIO, Way.RAW, // warm-up
            Way.RDIO, Way.RAW, Way.STOCK, Way.RAW, Way.STOCK, Way.RDIO);
    assertThat(passes.of("reads", Way.RDIO)).hasSize(2);
  }

  @Test
  void whatWasNotMeasuredHasNoFigure() {
    Passes<String> passes = new Passes<>();
    assertThat(passes.spread("reads", Way.RDIO, Pass::loopbackPerByte).median()).isNaN();
    assertThat(passes.share(Way.RDIO)).isNaN();
  }
}
