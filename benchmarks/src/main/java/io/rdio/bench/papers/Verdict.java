// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came of a figure.
 *
 * @param ours null if it was not run
 * @param unexpected what of the shape is not there, though it should be
 * @param known what of the shape is not there, as was to be expected
 * @param notRun why it was not run; empty if it was
 * @param failed whether it was not run because something failed
 */
record Verdict(
    Figure figure,
    @Nullable Measured ours,
    List<String> unexpected,
    List<String> known,
    String notRun,
    boolean failed) {
  static final String SAME = "as in the paper";
  static final String DIFFERS = "differs";

  Verdict {
    unexpected = List.copyOf(unexpected);
    known = List.copyOf(known);
  }

  static Verdict of(Figure figure, Measured ours, List<String> unexpected, List<String> known) {
    return new Verdict(figure, ours, unexpected, known, "", false);
  }

  static Verdict notRun(Figure figure, String reason) {
    return new Verdict(figure, null, List.of(), List.of(), reason, false);
  }

  static Verdict failed(Figure figure, String reason) {
    return new Verdict(figure, null, List.of(), List.of(), reason, true);
  }

  /** Whether somebody should look at it: it failed, or is not as it was to be expected. */
  boolean isBad() {
    return failed || !unexpected.isEmpty();
  }

  /** {@value #SAME} or {@value #DIFFERS}. */
  String shape() {
    return notRun.isEmpty() && unexpected.isEmpty() && known.isEmpty() ? SAME : DIFFERS;
  }

  /** What people are told of the shape. */
  String label() {
    return notRun.isEmpty() ? shape() : failed ? "failed" : "not run";
  }

  /** Which other machine than the report's measured which part of it; empty for none. */
  String elsewhere() {
    return ours == null ? "" : ours.elsewhere();
  }

  /** Why the shape is another one, in what the run is not like the paper's, and where it was. */
  String why() {
    if (!notRun.isEmpty()) {
      return "not run: " + notRun;
    }
    List<String> all = new ArrayList<>(unexpected);
    all.addAll(known);
    all.addAll(figure.differs());
    if (!elsewhere().isEmpty()) {
      all.add("Measured elsewhere: " + elsewhere());
    }
    return String.join(". ", all);
  }

  /** For JSON. */
  Map<String, @Nullable Object> fields() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("id", figure.id());
    fields.put("shape", shape());
    fields.put("why", why());
    fields.put("ours", ours == null ? null : ours.fields());
    fields.put("paper", figure.published().fields());
    return fields;
  }
}
