// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one fault of the fabric came to.
 *
 * @param name of the fault
 * @param ok whether all was as it should be
 * @param detail what was not, or what is worth knowing
 * @param during the read that it struck
 * @param backSeconds until RDIO carried everything again after the fault was over
 */
record Episode(String name, boolean ok, String detail, ReadOutcome during, double backSeconds) {
  private static final double MILLIS = 1000;

  static Episode failed(String name, Exception cause) {
    String text = String.valueOf(cause).replace('\n', ' ');
    return new Episode(name, false, text, new ReadOutcome("", 0, 0, 0, new TreeMap<>()), 0);
  }

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("ok", ok);
    fields.put("rdio_share", share());
    fields.put("fallbacks", during.fallbacks());
    fields.put("longest_read_s", during.longestMillis() / MILLIS);
    fields.put("rdio_back_after_s", backSeconds);
    fields.put("detail", detail);
    return fields;
  }

  String line() {
    return String.format(
        Locale.ROOT,
        "%-28s %-6s %3.0f%% by RDIO, longest read %4.1f s, back after %4.1f s  %s %s",
        name,
        ok ? "ok" : "FAILED",
        100 * share(),
        during.longestMillis() / MILLIS,
        backSeconds,
        during.fallbacks().isEmpty() ? "" : during.fallbacks(),
        detail);
  }

  private double share() {
    return during.bytes() == 0 ? 0 : (double) during.rdioBytes() / during.bytes();
  }
}
