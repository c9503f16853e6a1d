// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the client says of one reading.
 *
 * @param sha256 of all bytes read, in order
 * @param longestMillis the longest that one call of {@code read} took
 * @param rdioBytes how many of them came by RDIO, by its own counters
 * @param fallbacks how often each reason was counted meanwhile
 */
record ReadOutcome(
    String sha256, long bytes, long longestMillis, long rdioBytes, Map<String, Long> fallbacks) {

  /** The line that {@link ClientMain} answers with. */
  static ReadOutcome parse(String line) throws IOException {
    List<String> words = List.of(line.split(" ", -1));
    if (!words.get(0).equals("read") || words.size() < 5) {
      throw new IOException("the client was to read, and says: " + line);
    }
    Map<String, Long> fallbacks = new TreeMap<>();
    for (String word : words.subList(5, words.size())) {
      int at = word.indexOf('=');
      fallbacks.put(word.substring(0, at), Long.valueOf(word.substring(at + 1)));
    }
    return new ReadOutcome(
        words.get(1),
        Long.parseLong(words.get(2)),
        Long.parseLong(words.get(3)),
        Long.parseLong(words.get(4)),
        fallbacks);
  }

  /** Whether every byte came by RDIO. */
  boolean allByRdio() {
    return rdioBytes == bytes;
  }
}
