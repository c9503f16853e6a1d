// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import io.rdio.bench.report.Grid;
import io.rdio.bench.report.Target;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a run of {@code bench plane} found.
 *
 * @param search opening the file system and finding the storage, once, before anything is warm
 * @param looks by the number of readers; the first are one reader's
 * @param openings by what was in memory
 */
record PlaneFindings(
    Tally search,
    Lag.Figures lag,
    List<Looks.Figures> looks,
    Map<Openings.Known, PlaneSteps> openings) {
  private static final String NOTE =
      "Lag: from the end of the last fsync to the end of the resolve that finds the block; home: by"
          + " the same file system without its journal's copies, looked at every 2 ms. Looks:"
          + " readers look again as soon as they were served; taken: the looks that read the"
          + " device, which served the others too. Opening: resolving a block of 4 KiB, data not"
          + " read, by its steps; steps' percentiles do not add up. EXT4-oF has published 487 µs"
          + " for opening a new file by NVMe-oF and 60 to 80 µs for a local one.";

  PlaneFindings {
    looks = List.copyOf(looks);
    openings = new EnumMap<>(openings);
  }

  /** What contradicts the plane's promise: all that was committed is found by the first look. */
  List<String> wrong() {
    List<String> wrong = new ArrayList<>();
    long lost = lag.blocksByOverlay() - lag.overlay().count();
    if (lost > 0) {
      wrong.add(lost + " committed blocks were not found within " + lag.waitSeconds() + " s");
    }
    if (lag.mostTries() > 1) {
      wrong.add("a committed block was found by try " + lag.mostTries() + ", not by the first");
    }
    return wrong;
  }

  List<Target> targets() {
    return List.of(
        Target.atMost(
            "reads of a look when nothing has changed", 1, looks.get(0).readsForEachTaken()));
  }

  /** For a terminal. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        Grid.cell(
            "File system opened and storage found, once, nothing warm yet: %d reads, %.1f ms%n%n",
            search.mostReads(), search.micros(50) / 1000));
    text.append(lagGrid().text()).append('\n');
    text.append(looksGrid().text()).append('\n');
    openings.forEach((known, steps) -> text.append(openingGrid(known, steps).text()).append('\n'));
    text.append(Target.grid(targets()).text()).append('\n');
    text.append(Grid.wrapped(NOTE));
    wrong().forEach(each -> text.append("NOT AS IT SHOULD BE: ").append(each).append('\n'));
    return text.toString();
  }

  private Grid lagGrid() {
    return new Grid(
        List.of("commit to found", "blocks", "found", "reads", "ms p50", "ms p99"),
        List.of(
            lagRow("by the journal", lag.blocksByOverlay(), lag.overlay()),
            lagRow("by home locations only", lag.blocksByHome(), lag.home())));
  }

  private List<String> lagRow(String name, int blocks, Tally tally) {
    List<String> row = new ArrayList<>(List.of(name, "" + blocks, "" + tally.count()));
    row.add(number("%.1f", tally.reads()));
    if (tally.count() == 0) {
      row.add(Grid.cell("not within %.1f s", lag.waitSeconds()));
      row.add("–");
    } else {
      row.add(number("%.3f", tally.micros(50) / 1000));
      row.add(number("%.3f", tally.micros(99) / 1000));
    }
    return row;
  }

  private Grid looksGrid() {
    List<List<String>> rows = new ArrayList<>();
    for (Looks.Figures each : looks) {
      rows.add(
          List.of(
              "" + each.readers(),
              number("%.0f", each.servedPerSecond()),
              number("%.0f", each.takenPerSecond()),
              number("%.2f", each.readsForEachTaken()),
              number("%.2f", each.readsForEachServed()),
              number("%.1f", each.asked().micros(50)),
              number("%.1f", each.asked().micros(99))));
    }
    return new Grid(
        List.of(
            "looks: readers",
            "served/s",
            "taken/s",
            "reads for one taken",
            "for one served",
            "µs p50",
            "µs p99"),
        rows);
  }

  private static Grid openingGrid(Openings.Known known, PlaneSteps steps) {
    List<List<String>> rows = new ArrayList<>();
    steps
        .tallies()
        .forEach(
            (name, tally) ->
                rows.add(
                    List.of(
                        name,
                        number("%.2f", tally.reads()),
                        "" + tally.mostReads(),
                        number("%.1f", tally.micros(50)),
                        number("%.1f", tally.micros(99)))));
    return new Grid(List.of(known.label, "reads", "at most", "µs p50", "µs p99"), rows);
  }

  private static String number(String format, double figure) {
    return Double.isNaN(figure) ? "–" : Grid.cell(format, figure);
  }

  /** For JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("search", search.fields());
    fields.put(
        "lag",
        Map.of(
            "wait_s",
            lag.waitSeconds(),
            "journal",
            lagFields(lag.blocksByOverlay(), lag.overlay()),
            "home",
            lagFields(lag.blocksByHome(), lag.home())));
    fields.put("looks", looks.stream().map(Looks.Figures::fields).toList());
    Map<String, Object> opening = new LinkedHashMap<>();
    openings.forEach(
        (known, steps) -> {
          Map<String, Object> each = new LinkedHashMap<>();
          steps.tallies().forEach((name, tally) -> each.put(name, tally.fields()));
          opening.put(known.field, each);
        });
    fields.put("opening", opening);
    fields.put("targets", targets().stream().map(Target::fields).toList());
    fields.put("not_as_it_should_be", wrong());
    return fields;
  }

  private static Map<String, Object> lagFields(int blocks, Tally tally) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("blocks", blocks);
    fields.putAll(tally.fields());
    return fields;
  }
}
