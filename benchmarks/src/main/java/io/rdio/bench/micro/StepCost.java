// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import java.util.Locale;
import java.util.Objects;
import org.openjdk.jmh.results.RunResult;

/**
 * What a step costs, of each operation; NaN where it was not measured.
 *
 * @param nanos of the thread
 * @param error of {@code nanos}, as JMH has it
 * @param garbage bytes
 * @param submitting nanoseconds that the thread asked the device
 * @param waiting nanoseconds that it waited for the device
 */
record StepCost(
    String step, double nanos, double error, double garbage, double submitting, double waiting) {
  static final String HEAD =
      """
      | step | ns/op | ± | B/op | submitting, ns/op | waiting, ns/op | the rest, ns/op |
      |---|--:|--:|--:|--:|--:|--:|
      """;

  private static final String GARBAGE = "gc.alloc.rate.norm";

  /** Of what JMH measured. */
  static StepCost of(RunResult result) {
    return new StepCost(
        result.getPrimaryResult().getLabel(),
        result.getPrimaryResult().getScore(),
        result.getPrimaryResult().getScoreError(),
        secondary(result, GARBAGE),
        secondary(result, QueueProfiler.SUBMITTING),
        secondary(result, QueueProfiler.WAITING));
  }

  private static double secondary(RunResult result, String label) {
    return result.getSecondaryResults().containsKey(label)
        ? Objects.requireNonNull(result.getSecondaryResults().get(label)).getScore()
        : Double.NaN;
  }

  /** A row of a Markdown table below {@link #HEAD}. */
  String row() {
    return String.join(
        " | ",
        "| " + step,
        number(nanos),
        number(error),
        number(garbage),
        number(submitting),
        number(waiting),
        number(nanos - submitting - waiting) + " |\n");
  }

  private static String number(double value) {
    return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%.1f", value);
  }
}
