// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.jdks;

import io.rdio.bench.client.Answer;

/** What is told of a client's reads. */
enum Figure {
  STREAM("one stream, MB/s", 0),
  STREAM_CPU("its CPU, s/GB", 0),
  PAGE("4 KiB by position, median, µs", 4 << 10),
  MIB("1 MiB by position, median, µs", 1 << 20);

  private final String text;
  private final int bytes;

  Figure(String text, int bytes) {
    this.text = text;
    this.bytes = bytes;
  }

  String text() {
    return text;
  }

  /** Bytes of each read by position; 0 where the file is read from start to end. */
  int bytes() {
    return bytes;
  }

  /** Takes it from what a client measured. */
  double of(Answer answer) {
    return switch (this) {
      case STREAM -> answer.bytes() / answer.seconds() / 1e6;
      case STREAM_CPU -> answer.cpuSeconds() / (answer.bytes() / 1e9);
      case PAGE, MIB -> answer.histogram().getValueAtPercentile(50) / 1e3;
    };
  }
}
