// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What readers without a lease came to.
 *
 * @param pages of 4 KiB that they were handed
 * @param maps that these were read by
 * @param foreign pages of them that were another file's; a reader ends at its first
 * @param looks at the journal
 * @param changed how often a map's files turned out to have changed
 * @param refusals how often which reason was given
 */
record AttackOutcome(
    long pages, long maps, long foreign, long looks, long changed, Map<String, Long> refusals) {
  private static final int NUMBERS = 5;

  /** The line that {@code AttackedHost} of rdio-core answers with. */
  static AttackOutcome parse(String line) throws IOException {
    List<String> words = List.of(line.split(" ", -1));
    if (!words.get(0).equals("read") || words.size() <= NUMBERS) {
      throw new IOException("the attacked host was to read, and says: " + line);
    }
    Map<String, Long> refusals = new TreeMap<>();
    for (String word : words.subList(NUMBERS + 1, words.size())) {
      int at = word.indexOf('=');
      refusals.put(word.substring(0, at), Long.valueOf(word.substring(at + 1)));
    }
    return new AttackOutcome(
        Long.parseLong(words.get(1)),
        Long.parseLong(words.get(2)),
        Long.parseLong(words.get(3)),
        Long.parseLong(words.get(4)),
        Long.parseLong(words.get(NUMBERS)),
        refusals);
  }

  /** For people. */
  String line() {
    return String.format(
        Locale.ROOT,
        "%d pages by %d maps, %d foreign; %d looks, files changed %d times; refused: %s",
        pages,
        maps,
        foreign,
        looks,
        changed,
        refusals);
  }

  /** For the JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("pages", pages);
    fields.put("maps", maps);
    fields.put("foreign", foreign);
    fields.put("looks", looks);
    fields.put("files_changed", changed);
    fields.put("refusals", refusals);
    return fields;
  }
}
