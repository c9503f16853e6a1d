// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import io.rdio.bench.client.Task.Kind;
import io.rdio.bench.hdfs.Sizes;

/**
 * What is measured.
 *
 * @param bytes of a positional read; else 0
 * @param before how often the same client opened the same files before
 */
record Measure(Kind kind, int bytes, int before) {
  static final Measure SEQUENTIAL = new Measure(Kind.SEQUENTIAL, 0, 1);
  static final Measure FIRST_BYTE = new Measure(Kind.FIRST_BYTE, 0, 0);
  static final Measure SECOND_TIME = new Measure(Kind.FIRST_BYTE, 0, 1);
  static final Measure THIRD_TIME = new Measure(Kind.FIRST_BYTE, 0, 2);
  static final Measure ROUND_TRIP = new Measure(Kind.ROUND_TRIP, 0, 0);

  static Measure positional(int bytes) {
    return new Measure(Kind.POSITIONAL, bytes, 1);
  }

  @Override
  public String toString() {
    return switch (kind) {
      case POSITIONAL -> "positional reads of " + Sizes.label(bytes);
      case FIRST_BYTE ->
          switch (before) {
            case 0 -> "first byte";
            case 1 -> "first byte, the second time";
            default -> "first byte, the third time";
          };
      case SEQUENTIAL -> "sequential";
      case STREAM -> "streams";
      case ROUND_TRIP -> "bare socket, there and back";
      case VERIFY -> "comparison";
      case IN_ORDER -> "reads in order";
      case OBJECTS -> "objects";
      case RECORDS -> "records";
      case WRITE -> "writing";
      case COLUMNS, COLUMNS_VECTORED -> "columns";
      case CRC_BY_LIBRARY, CRC_BY_JAVA -> "CRCs";
    };
  }
}
