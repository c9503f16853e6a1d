// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import io.rdio.bench.client.Task.Kind;
import io.rdio.bench.hdfs.Sizes;

/**
 * What is measured.
 *
 * @param bytes of a positional read; else 0
 * @param again whether the same client opened the same files before
 */
record Measure(Kind kind, int bytes, boolean again) {
  static final Measure SEQUENTIAL = new Measure(Kind.SEQUENTIAL, 0, true);
  static final Measure FIRST_BYTE = new Measure(Kind.FIRST_BYTE, 0, false);
  static final Measure FIRST_BYTE_AGAIN = new Measure(Kind.FIRST_BYTE, 0, true);
  static final Measure ROUND_TRIP = new Measure(Kind.ROUND_TRIP, 0, false);

  static Measure positional(int bytes) {
    return new Measure(Kind.POSITIONAL, bytes, true);
  }

  @Override
  public String toString() {
    return switch (kind) {
      case POSITIONAL -> "positional reads of " + Sizes.label(bytes);
      case FIRST_BYTE -> again ? "first byte, opened before" : "first byte";
      case SEQUENTIAL -> "sequential";
      case ROUND_TRIP -> "bare socket, there and back";
      case VERIFY -> "comparison";
    };
  }
}
