// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.jdks;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Task;
import io.rdio.bench.client.Task.Kind;
import java.util.Arrays;
import java.util.List;

/** What is told of a client. */
enum Figure {
  STREAM("one stream, MB/s", Kind.SEQUENTIAL, 0),
  STREAM_CPU("its CPU, s/GB", Kind.SEQUENTIAL, 0),
  PAGE("4 KiB by position, median, µs", Kind.POSITIONAL, 4 << 10),
  MIB("1 MiB by position, median, µs", Kind.POSITIONAL, 1 << 20),
  CRC_LIBRARY("CRC32C of 1 MiB by librdio, median, µs", Kind.CRC_BY_LIBRARY, 0),
  CRC_JAVA("by Java, median, µs", Kind.CRC_BY_JAVA, 0);

  private final String text;
  private final Kind kind;
  private final int bytes;

  Figure(String text, Kind kind, int bytes) {
    this.text = text;
    this.kind = kind;
    this.bytes = bytes;
  }

  /**
   * What a client does for some figures.
   *
   * @param bytes of each read by position; 0 of all else
   */
  record Load(Kind kind, int bytes) {
    /**
     * Has it done.
     *
     * @param seconds that it goes on, unless the file is read from start to end
     */
    Task task(String file, double seconds, int round) {
      List<String> files = List.of(file);
      return switch (kind) {
        case SEQUENTIAL -> Task.sequential(files);
        case POSITIONAL -> Task.positional(files, 1, List.of(bytes), 0, seconds, round);
        case CRC_BY_LIBRARY -> Task.crcs(true, seconds);
        case CRC_BY_JAVA -> Task.crcs(false, seconds);
        default -> throw new IllegalStateException("no figure is of " + kind);
      };
    }
  }

  /** All that clients do, each once. */
  static List<Load> loads() {
    return Arrays.stream(values()).map(Figure::load).distinct().toList();
  }

  private Load load() {
    return new Load(kind, bytes);
  }

  String text() {
    return text;
  }

  /** Whether it is taken from what this gives. */
  boolean isOf(Load what) {
    return load().equals(what);
  }

  /** Takes it from what a client measured; NaN where that did nothing. */
  double of(Answer answer) {
    Answer.Totals totals = answer.totals();
    return switch (this) {
      case STREAM -> totals.bytes() / totals.seconds() / 1e6;
      case STREAM_CPU -> totals.cpuSeconds() / (totals.bytes() / 1e9);
      case PAGE, MIB, CRC_LIBRARY, CRC_JAVA ->
          totals.reads() == 0 ? Double.NaN : answer.histogram().getValueAtPercentile(50) / 1e3;
    };
  }
}
