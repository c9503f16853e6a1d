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
          + " direct buffer. CRCs by: who computes them in reads of this client. CRC32C: 2048"
          + " chunks are checked and nothing is copied; by librdio always in a direct buffer, as"
          + " reads have it; by Java in what this client reads to.";

  private final Map<Client, Map<Figure, List<Double>>> rounds = new LinkedHashMap<>();

  /** Adds what one round had of something. */
  void add(Client client, Figure.Load what, Answer answer) {
    Map<Figure, List<Double>> figures =
        rounds.computeIfAbsent(client, key -> new EnumMap<>(Figure.class));
    for (Figure figure : Figure.values()) {
      if (figure.isOf(what)) {
        figures.computeIfAbsent(figure, key -> new ArrayList<>()).add(figure.of(answer));
      }
    }
  }

  /** For a terminal. */
  String text() {
    List<String> head = new ArrayList<>(List.of("Java", "to", "CRCs by"));
    for (Figure figure : Figure.values()) {
      head.add(figure.text());
    }
    List<List<String>> rows = new ArrayList<>();
    rounds.forEach(
        (client, figures) -> {
          List<String> row = new ArrayList<>(List.of(client.java(), client.memory()));
          row.add(hasLibrary(figures) ? "librdio" : "Java");
          for (Figure figure : Figure.values()) {
            row.add(cell(figure, figures.getOrDefault(figure, List.of())));
          }
          rows.add(row);
        });
    return new Grid(head, rows).text() + "\n" + Grid.wrapped(NOTE);
  }

  /** As {@link io.rdio.client.read.ChunkVerifier} chooses: librdio wherever it is available. */
  private static boolean hasLibrary(Map<Figure, List<Double>> figures) {
    return figures.getOrDefault(Figure.CRC_LIBRARY, List.of()).stream()
        .anyMatch(value -> !value.isNaN());
  }

  private static String cell(Figure figure, List<Double> values) {
    if (values.isEmpty() || values.get(0).isNaN()) {
      return "–";
    }
    Spread spread = Spread.of(values.stream().mapToDouble(Double::doubleValue).toArray());
    String format = figure == Figure.STREAM_CPU ? "%.3f (%.3f-%.3f)" : "%.0f (%.0f-%.0f)";
    return Grid.cell(format, spread.median(), spread.min(), spread.max());
  }
}
