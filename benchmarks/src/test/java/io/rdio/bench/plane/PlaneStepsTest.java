// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.client.plane.device.ResolveStep;
import org.junit.jupiter.api.Test;

class PlaneStepsTest {
  private long nanos;
  private long reads;
  private final PlaneSteps steps = new PlaneSteps(() -> nanos, () -> reads);

  private void step(ResolveStep step, long micros, long count) {
    nanos += 1000 * micros;
    reads += count;
    steps.accept(step);
  }

  @Test
  void aStepThatComesTwiceInAResolveCountsAsOne() {
    steps.begin();
    step(ResolveStep.INODES, 10, 1);
    step(ResolveStep.EXTENTS, 2, 0);
    step(ResolveStep.INODES, 20, 2);
    steps.end();
    Tally inodes = steps.tallies().get("names and inodes");
    assertThat(inodes.count()).isEqualTo(1);
    assertThat(inodes.reads()).isEqualTo(3);
    assertThat(inodes.micros(50)).isBetween(30.0, 30.1);
    Tally whole = steps.tallies().get("all of it");
    assertThat(whole.reads()).isEqualTo(3);
    assertThat(whole.micros(50)).isBetween(32.0, 32.1);
  }

  @Test
  void meansOfStepsAddUp() {
    steps.begin();
    step(ResolveStep.LOOK, 5, 2);
    step(ResolveStep.PATH, 7, 4);
    steps.end();
    steps.begin();
    step(ResolveStep.LOOK, 5, 2);
    step(ResolveStep.PATH, 27, 4);
    steps.end();
    assertThat(steps.tallies().get("path walk").meanMicros()).isCloseTo(17, within(0.1));
    assertThat(steps.tallies().get("all of it").meanMicros()).isCloseTo(22, within(0.1));
    assertThat(new Tally().meanMicros()).isNaN();
  }

  @Test
  void whatLiesBetweenTwoResolvesIsNobodys() {
    steps.begin();
    step(ResolveStep.LOOK, 5, 2);
    steps.end();
    nanos += 1_000_000;
    reads += 100;
    steps.begin();
    step(ResolveStep.LOOK, 5, 2);
    step(ResolveStep.PATH, 7, 4);
    steps.end();
    assertThat(steps.tallies().get("look before").mostReads()).isEqualTo(2);
    assertThat(steps.tallies().get("look before").micros(99)).isLessThan(6);
    assertThat(steps.tallies().get("path walk").reads()).as("none by the first").isEqualTo(2);
    assertThat(steps.tallies().get("path walk").mostReads()).isEqualTo(4);
    assertThat(steps.tallies().get("all of it").mostReads()).isEqualTo(6);
  }

  @Test
  void stepsComeInTheirOrderAndThenTheWhole() {
    assertThat(steps.tallies().keySet())
        .containsExactly(
            "storage still fit",
            "look before",
            "path walk",
            "names and inodes",
            "extents",
            "meta header",
            "look behind",
            "all of it");
  }
}
