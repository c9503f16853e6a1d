// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.resilience;

/**
 * What came of reading all objects once.
 *
 * @param bytes read; 0 if the read failed
 * @param byRdio how many of them RDIO read
 * @param decodeMillis that HDFS's stream spent decoding, as it counts itself
 */
record Outcome(double seconds, long bytes, long byRdio, long decodeMillis) {
  private static final double MEGABYTE = 1e6;

  /** Of a read that was not answered. */
  static final Outcome FAILED = new Outcome(0, 0, 0, 0);

  /** In 10^6 bytes a second; 0 if the read failed. */
  double megabytesPerSecond() {
    return bytes == 0 ? 0 : bytes / MEGABYTE / seconds;
  }

  /** As one line of text. */
  String toLine() {
    return seconds + " " + bytes + " " + byRdio + " " + decodeMillis;
  }

  /** Reads what {@link #toLine} wrote. */
  static Outcome ofLine(String line) {
    String[] words = line.split(" ", -1);
    return new Outcome(
        Double.parseDouble(words[0]),
        Long.parseLong(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]));
  }
}
