// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

/** Says what does not add up in a message. */
final class Sane {
  private Sane() {}

  /**
   * @throws IllegalArgumentException unless it is sane
   */
  static void check(boolean sane, String what, long value) {
    if (!sane) {
      throw new IllegalArgumentException(what + " is " + value);
    }
  }
}
