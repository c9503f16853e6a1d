// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.model;

/** The code does not do what the model does. */
final class Divergence extends Exception {
  private static final long serialVersionUID = 1;

  private final String step;
  private final int number;

  Divergence(Trace.Step step, String what) {
    super(step + ": " + what);
    this.step = step.name();
    this.number = step.number();
  }

  /** The model's name of the step that the code does not take, or takes to another state. */
  String step() {
    return step;
  }

  /** Which of the trace's steps that is, from 1. */
  int number() {
    return number;
  }
}
