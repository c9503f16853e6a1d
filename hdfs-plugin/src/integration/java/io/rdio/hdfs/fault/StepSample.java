// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.fault.SteppedRun.Kill;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Which of the kills that there are a test does: a few by chance, with {@code -Drdio.test.all=true}
 * all of them. {@code -Drdio.steps.sample=N} has so many done of each sort that there is, {@code
 * -Drdio.steps.sample=all} all; it wins over the other one. {@code -Drdio.steps.seed=N} repeats a
 * run's choices, of which a smaller sample has the first ones.
 */
final class StepSample {
  private static final String SEED_PROPERTY = "rdio.steps.seed";
  private static final String SAMPLE_PROPERTY = "rdio.steps.sample";
  private static final String EACH = "all";
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final long SEED = Long.getLong(SEED_PROPERTY, System.nanoTime());

  private StepSample() {}

  /** By which choices are made; the same ones each time. */
  static Random random() {
    return new Random(SEED);
  }

  /** What has a run's choices repeated, for people. */
  static String seed() {
    return "-D" + SEED_PROPERTY + "=" + SEED;
  }

  /** Whether somebody is killed in runs of each sort, and not of the usual ones alone. */
  static boolean isOfEachSort() {
    return ALL || asked() != null;
  }

  private static @Nullable String asked() {
    return System.getProperty(SAMPLE_PROPERTY);
  }

  /**
   * Those that are done, in the order in which they are.
   *
   * @param all of one sort
   * @param few how many, where nobody asks for more
   * @param random as {@link #random} gave it
   * @throws IllegalArgumentException if the property has another value than a number from 1 on, or
   *     {@code all}
   */
  static List<Kill> of(List<Kill> all, int few, Random random) {
    List<Kill> chosen = new ArrayList<>(all);
    Collections.shuffle(chosen, random);
    return chosen.subList(0, Math.min(chosen.size(), most(few)));
  }

  private static int most(int few) {
    String asked = asked();
    if (asked == null) {
      return ALL ? Integer.MAX_VALUE : few;
    }
    if (asked.equals(EACH)) {
      return Integer.MAX_VALUE;
    }
    if (!asked.matches("[1-9][0-9]{0,8}")) {
      throw new IllegalArgumentException(
          SAMPLE_PROPERTY + " is " + asked + "; set it to a number from 1 on, or to " + EACH);
    }
    return Integer.parseInt(asked);
  }
}
