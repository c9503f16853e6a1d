// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a part looked at, by what it is called, and whether it held. For one thread. */
final class Checks {
  private final PrintStream out;
  private final Map<String, Boolean> held = new LinkedHashMap<>();

  /**
   * @param out is told of each
   */
  Checks(PrintStream out) {
    this.out = out;
  }

  /** Notes one; of several by one name all must hold. */
  void check(String what, boolean holds) {
    held.merge(what, holds, Boolean::logicalAnd);
    out.println("testbed: " + (holds ? "ok: " : "NOT SO: ") + what);
  }

  /** For the JSON: each check, and whether it held. */
  Map<String, Boolean> fields() {
    return new LinkedHashMap<>(held);
  }

  /** Whether there were some, and all held. */
  boolean allOk() {
    return !held.isEmpty() && held.values().stream().allMatch(holds -> holds);
  }
}
