// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.Phase;
import io.rdio.bench.report.Grid;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What the time of files goes to, phase by phase. */
public final class PhaseTable {
  /** How to read it. */
  public static final String NOTE =
      "Phases: microseconds of a file on average, medians of the rounds. Of RDIO map, device,"
          + " allocate, hand over and commit are by its own counters, and the others what is left"
          + " of the time; what it does while the application goes on counts all the same. Devices"
          + " are found and opened before the first round.";

  private PhaseTable() {}

  /**
   * A row for each thing that was measured and each of its ways, a column for each phase that there
   * was; without rows where nothing was timed by phases.
   */
  public static <K> Grid of(Passes<K> passes) {
    Set<Phase> phases = EnumSet.noneOf(Phase.class);
    for (K what : passes.keys()) {
      passes.ways(what).forEach(way -> phases.addAll(passes.phases(what, way)));
    }
    List<String> head = new ArrayList<>(List.of("µs of a file", "by"));
    phases.forEach(phase -> head.add(phase.label()));
    List<List<String>> rows = new ArrayList<>();
    for (K what : passes.keys()) {
      for (Way way : passes.ways(what)) {
        Set<Phase> its = passes.phases(what, way);
        if (!its.isEmpty()) {
          List<String> row = new ArrayList<>(List.of(what.toString(), way.label()));
          phases.forEach(
              phase -> row.add(its.contains(phase) ? cell(passes, what, way, phase) : ""));
          rows.add(row);
        }
      }
    }
    return new Grid(head, rows);
  }

  private static <K> String cell(Passes<K> passes, K what, Way way, Phase phase) {
    return Grid.cell("%.0f", passes.median(what, way, pass -> pass.phaseMicros(phase)));
  }
}
