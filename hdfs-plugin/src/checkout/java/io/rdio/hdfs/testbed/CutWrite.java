// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a cable that went out in mid-write came to.
 *
 * @param name of the cable
 * @param clauses whether each of {@link #CLAUSES} held, as far as it was looked at
 * @param slotsBackSeconds from when the cable went out, or where it is a DataNode's to its device
 *     from when that was back and the writer was told, until the slots that the writer had were
 *     nobody's again; NaN if they were not in time
 * @param detail what the writer was told, and what is worth knowing
 */
record CutWrite(String name, Map<String, Boolean> clauses, double slotsBackSeconds, String detail) {
  /** The file is closed with what was written, or refused with its reason and recovered. */
  static final String TOLD = "closed_or_refused";

  /** Each closed file has what was written to it, in all replicas. */
  static final String CLOSED = "closed_files_same";

  /** {@code hdfs fsck} finds all files healthy. */
  static final String FSCK = "fsck_clean";

  /** The writer's slots came back within the quarantine. */
  static final String SLOTS = "slots_back";

  /** No block, and no meta file, that was there before has changed. */
  static final String FOREIGN = "foreign_blocks_same";

  /** The agent writes again. */
  static final String AGAIN = "agent_writes_again";

  static final List<String> CLAUSES = List.of(TOLD, CLOSED, FSCK, SLOTS, FOREIGN, AGAIN);

  static CutWrite failed(String name, Exception cause) {
    return new CutWrite(name, Map.of(), Double.NaN, String.valueOf(cause).replace('\n', ' '));
  }

  /** Whether all of them were looked at, and held. */
  boolean ok() {
    return CLAUSES.stream().allMatch(clause -> clauses.getOrDefault(clause, false));
  }

  /** For the JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("ok", ok());
    for (String clause : CLAUSES) {
      fields.put(clause, clauses.getOrDefault(clause, false));
    }
    if (!Double.isNaN(slotsBackSeconds)) {
      fields.put("slots_back_s", slotsBackSeconds);
    }
    fields.put("detail", detail);
    return fields;
  }

  /** For people. */
  String line() {
    List<String> missed =
        CLAUSES.stream().filter(clause -> !clauses.getOrDefault(clause, false)).toList();
    return String.format(
        Locale.ROOT,
        "%-38s %-6s slots back after %5.1f s  %s%s",
        name,
        ok() ? "ok" : "FAILED",
        slotsBackSeconds,
        missed.isEmpty() ? "" : "not: " + String.join(", ", missed) + "; ",
        detail);
  }
}
