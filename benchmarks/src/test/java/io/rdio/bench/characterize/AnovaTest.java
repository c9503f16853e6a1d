// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.characterize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.characterize.Anova.Effect;
import io.rdio.bench.characterize.Anova.Observation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnovaTest {
  private static final List<String> FACTORS = List.of("a", "b");

  private final List<Observation> observations = new ArrayList<>();

  private void add(String a, String b, double... values) {
    for (double value : values) {
      observations.add(new Observation(Map.of("a", a, "b", b), value));
    }
  }

  private Effect effect(List<String> factors, String source) {
    return Anova.of(factors, observations).stream()
        .filter(effect -> effect.source().equals(source))
        .findFirst()
        .orElseThrow();
  }

  /** Sums of squares 50, 128 and 32, and 8 within combinations: by hand. */
  private void example() {
    add("1", "1", 1, 3);
    add("1", "2", 5, 7);
    add("2", "1", 2, 4);
    add("2", "2", 14, 16);
  }

  @Test
  void twoFactorsAndTheirInteraction() {
    example();
    assertThat(effect(FACTORS, "a").squares()).isCloseTo(50, within(1e-9));
    assertThat(effect(FACTORS, "b").squares()).isCloseTo(128, within(1e-9));
    assertThat(effect(FACTORS, "a × b").squares()).isCloseTo(32, within(1e-9));
    Effect repeats = effect(FACTORS, Anova.ERROR);
    assertThat(repeats.squares()).isCloseTo(8, within(1e-9));
    assertThat(repeats.degrees()).isEqualTo(4);
    assertThat(effect(FACTORS, "b").etaSquared()).isCloseTo(128 / 218.0, within(1e-9));
  }

  @Test
  void testOfAnEffect() {
    example();
    Effect effect = effect(FACTORS, "a");
    assertThat(effect.f()).isCloseTo(25, within(1e-9));
    // That of Student's t of 5 with four degrees of freedom, on both sides.
    assertThat(effect.p()).isCloseTo(0.00749, within(1e-5));
  }

  @Test
  void largestComesFirstAndRepeatsLast() {
    example();
    assertThat(Anova.of(FACTORS, observations).stream().map(Effect::source))
        .containsExactly("b", "a", "a × b", Anova.ERROR);
  }

  @Test
  void sharesAddUpToOneWithHigherInteractions() {
    for (String a : List.of("1", "2")) {
      for (String b : List.of("1", "2")) {
        for (String c : List.of("1", "2", "3")) {
          for (int i = 0; i < 3; i++) {
            double value = (a.equals(b) ? 3 : 1) * Integer.parseInt(c) * (b.equals(c) ? 2 : 5) + i;
            observations.add(new Observation(Map.of("a", a, "b", b, "c", c), value));
          }
        }
      }
    }
    List<Effect> effects = Anova.of(List.of("a", "b", "c"), observations);
    assertThat(effects.stream().map(Effect::source)).contains(Anova.HIGHER, "b × c");
    assertThat(effects.stream().mapToDouble(Effect::etaSquared).sum()).isCloseTo(1, within(1e-9));
    assertThat(effects.stream().mapToLong(Effect::degrees).sum())
        .isEqualTo(observations.size() - 1);
  }

  @Test
  void withoutVarianceWithinThereIsNoTest() {
    add("1", "1", 1, 1);
    add("2", "1", 2, 2);
    Effect effect = effect(List.of("a"), "a");
    assertThat(effect.etaSquared()).isEqualTo(1);
    assertThat(effect.p()).isNaN();
  }

  @Test
  void refusesWhatIsNotBalanced() {
    example();
    observations.remove(0);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Anova.of(FACTORS, observations))
        .withMessageContaining("needs each of 4 combinations equally often, twice at least");
  }
}
