// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.thread;

/** Is told of failures that should not be, and keeps them from ending more than they must. */
@FunctionalInterface
public interface Failures {
  /** Counts and logs one, {@code Error}s included; throws nothing. */
  void failed(String what, Throwable failure);

  /** Does work whose failure, of whatever kind, ends nothing but this work. */
  default void survive(String what, Runnable work) {
    try {
      work.run();
    } catch (Throwable e) {
      failed(what, e);
    }
  }
}
