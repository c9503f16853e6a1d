// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.jdks;

import io.rdio.bench.client.Answer;
import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.jdks.JavaClients.Client;
import io.rdio.bench.report.Grid;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a run of {@code bench jdks} found, by client and figure. */
final class JdksFindings {
  private static final String NOTE =
      "Medians of the rounds, in brackets the least and the most. heap: to an array; direct: to a"
          + " direct buffer.";

  private final Map<Client, Map<Figure, List<Double>>> rounds = new LinkedHashMap<>();

  /** Adds what one round had of reads of so many bytes. */
  void add(Client client, int bytes, Answer answer) {
    Map<Figure, List<Double>> figures =
        rounds.computeIfAbsent(client, key -> new EnumMap<>(Figure.class));
    for (Figure figure : Figure.values()) {
      if (figure.bytes() == bytes) {
        figures.computeIfAbsent(figure, key -> new ArrayList<>()).add(figure.of(answer));
      }
    }
  }

  /** For a terminal. */
  String text() {
    List<String> head = new ArrayList<>(List.of("Java", "to"));
    for (Figure figure : Figure.values()) {
      head.add(figure.text());
    }
    List<List<String>> rows = new ArrayList<>();
    rounds.forEach(
        (client, figures) -> {
          List<String> row = new ArrayList<>(List.of(client.java(), client.memory()));
          figures.forEach((figure, values) -> row.add(cell(figure, values)));
          rows.add(row);
        });
    return new Grid(head, rows).text() + "\n" + Grid.wrapped(NOTE);
  }

  private static String cell(Figure figure, List<Double> values) {
    Spread spread = Spread.of(values.stream().mapToDouble(Double::doubleValue).toArray());
    String format = figure == Figure.STREAM_CPU ? "%.3f (%.3f-%.3f)" : "%.0f (%.0f-%.0f)";
    return Grid.cell(format, spread.median(), spread.min(), spread.max());
  }
}
