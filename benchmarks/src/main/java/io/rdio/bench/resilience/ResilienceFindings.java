// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.resilience;

import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.report.Grid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** What a run of {@code bench resilience} found, by the number of dead DataNodes and by way. */
final class ResilienceFindings {
  private static final String NOTE =
      "Throughput of all objects read one after the other, medians of the rounds, divided by that of"
          + " stock HDFS with all DataNodes alive (the first line's MB/s). 'fails': the read is not"
          + " answered in any round. rdio N %: the file map cache has the maps of N % of the objects"
          + " when the time begins. Decoding: what HDFS's stream says of itself, in all rounds.";

  private static final String FAILS = "fails";

  private final String stock;
  private final List<String> ways;
  private final Map<Integer, Map<String, List<Outcome>>> outcomes = new TreeMap<>();

  /**
   * @param stock the way that the others are compared with
   */
  ResilienceFindings(String stock, List<String> ways) {
    this.stock = stock;
    this.ways = List.copyOf(ways);
  }

  /** Adds the next round's. */
  void add(int dead, String way, Outcome outcome) {
    outcomes
        .computeIfAbsent(dead, key -> new LinkedHashMap<>())
        .computeIfAbsent(way, key -> new ArrayList<>())
        .add(outcome);
  }

  /** What RDIO did not do as it says: not all bytes by RDIO, a failed read, or decoding. */
  List<String> wrong() {
    List<String> wrong = new ArrayList<>();
    outcomes.forEach(
        (dead, byWay) ->
            byWay.forEach(
                (way, all) -> {
                  boolean asIs =
                      all.stream()
                          .allMatch(
                              one ->
                                  one.bytes() > 0
                                      && one.byRdio() >= one.bytes()
                                      && one.decodeMillis() == 0);
                  if (!way.equals(stock) && !asIs) {
                    wrong.add(way + ", " + dead + " DataNodes dead: " + all);
                  }
                }));
    return wrong;
  }

  /** For a terminal. */
  String text() {
    StringBuilder text = new StringBuilder(throughput().text()).append('\n');
    text.append(Grid.wrapped(NOTE));
    wrong().forEach(each -> text.append("NOT AS IT SHOULD BE: ").append(each).append('\n'));
    return text.toString();
  }

  /** For JSON; what fails has 0 MB/s. */
  Map<String, Object> fields() {
    List<Map<String, Object>> points = new ArrayList<>();
    outcomes.forEach(
        (dead, byWay) -> {
          Map<String, Object> each = new LinkedHashMap<>();
          byWay.forEach(
              (way, all) ->
                  each.put(
                      way,
                      Map.of(
                          "mbps",
                          median(dead, way, Outcome::megabytesPerSecond),
                          "decode_ms",
                          all.stream().mapToLong(Outcome::decodeMillis).sum())));
          points.add(Map.of("dead", dead, "ways", each));
        });
    return Map.of("points", points, "not_as_it_should_be", wrong());
  }

  /** Adds each way's line to a chart. */
  void draw(ResilienceChart chart) {
    double healthy = median(0, stock, Outcome::megabytesPerSecond);
    List<Integer> dead = List.copyOf(outcomes.keySet());
    for (String way : ways) {
      chart.add(
          way,
          dead,
          dead.stream()
              .map(each -> median(each, way, Outcome::megabytesPerSecond) / healthy)
              .toList());
    }
  }

  private Grid throughput() {
    List<String> head = new ArrayList<>(List.of("DataNodes dead", "stock MB/s"));
    ways.forEach(way -> head.add("× " + way));
    head.addAll(List.of("ms decoding: stock", "rdio"));
    double healthy = median(0, stock, Outcome::megabytesPerSecond);
    List<List<String>> rows = new ArrayList<>();
    for (int dead : outcomes.keySet()) {
      List<String> row = new ArrayList<>();
      row.add(Integer.toString(dead));
      row.add(cell("%.0f", median(dead, stock, Outcome::megabytesPerSecond)));
      for (String way : ways) {
        row.add(cell("%.2f", median(dead, way, Outcome::megabytesPerSecond) / healthy));
      }
      row.add(decodeMillis(dead, true));
      row.add(decodeMillis(dead, false));
      rows.add(row);
    }
    return new Grid(head, rows);
  }

  private static String cell(String format, double figure) {
    return figure > 0 ? Grid.cell(format, figure) : FAILS;
  }

  private String decodeMillis(int dead, boolean byStock) {
    List<Outcome> all = new ArrayList<>();
    outcomes
        .getOrDefault(dead, Map.of())
        .forEach((way, some) -> all.addAll(way.equals(stock) == byStock ? some : List.of()));
    boolean isRead = all.stream().anyMatch(one -> one.bytes() > 0);
    return isRead ? Long.toString(all.stream().mapToLong(Outcome::decodeMillis).sum()) : FAILS;
  }

  private double median(int dead, String way, ToDoubleFunction<Outcome> figure) {
    return Spread.of(
            outcomes.getOrDefault(dead, Map.of()).getOrDefault(way, List.of()).stream()
                .mapToDouble(figure)
                .toArray())
        .median();
  }
}
