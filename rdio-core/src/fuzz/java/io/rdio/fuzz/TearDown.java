// SPDX-License-Identifier: Apache-2.0
package io.rdio.fuzz;

/** The end of a target. Jazzer would hang if it threw, so what goes wrong there is printed. */
public final class TearDown {
  private TearDown() {}

  /** A step that may throw whatever it is made to throw. */
  @FunctionalInterface
  public interface Step {
    void run() throws Exception;
  }

  /** Takes a step, and throws nothing. */
  public static void run(Step step) {
    try {
      step.run();
    } catch (Exception | AssertionError e) {
      System.err.println("The target's end failed: " + e);
    }
  }
}
