// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.replicas;

import io.rdio.bench.client.Answer;
import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.replicas.LimitedDevices.Way;
import io.rdio.bench.report.Grid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What a run of {@code bench replicas} found, by what was read and by how many replicas. */
final class ReplicasFindings {
  private static final String NOTE =
      "Medians of the rounds; the ratio is that of each round, in brackets the least and the most."
          + " one: any one replica of a block is read by; all: dfs.client.rdio.routing = adaptive;"
          + " stock: without RDIO.";

  private static final double MEGA = 1e6;

  private final List<Way> ways;
  private final Map<String, List<Map<Way, Answer>>> rounds = new LinkedHashMap<>();

  /**
   * @param ways that are compared; ALL with the best of the others
   */
  ReplicasFindings(List<Way> ways) {
    this.ways = ways;
  }

  /** What is compared. */
  List<Way> ways() {
    return ways;
  }

  /** Adds what one round had of a task. */
  void add(String task, Map<Way, Answer> answers) {
    rounds.computeIfAbsent(task, key -> new ArrayList<>()).add(answers);
  }

  private static double rate(Answer answer) {
    return answer.totals().bytes() / answer.totals().seconds() / MEGA;
  }

  private static double cpu(Answer answer) {
    return answer.totals().cpuSeconds() / (answer.totals().bytes() / (1000 * MEGA));
  }

  private static double byRdio(Answer answer) {
    return 100.0 * answer.counters().rdioBytes() / answer.totals().bytes();
  }

  private static Answer of(Map<Way, Answer> round, Way way) {
    Answer answer = round.get(way);
    if (answer == null) {
      throw new IllegalArgumentException("a round without " + way);
    }
    return answer;
  }

  private Spread spread(String task, ToDoubleFunction<Map<Way, Answer>> figure) {
    return Spread.of(rounds.getOrDefault(task, List.of()).stream().mapToDouble(figure).toArray());
  }

  private double median(String task, Way way, ToDoubleFunction<Answer> figure) {
    return spread(task, round -> figure.applyAsDouble(of(round, way))).median();
  }

  /** What all has of the best of the others, in one round. */
  private double gain(Map<Way, Answer> round) {
    double best =
        ways.stream()
            .filter(way -> way != Way.ALL)
            .mapToDouble(way -> rate(of(round, way)))
            .max()
            .orElseThrow();
    return rate(of(round, Way.ALL)) / best;
  }

  /** For a terminal. */
  String text() {
    List<String> head = new ArrayList<>(List.of("read"));
    ways.forEach(way -> head.add("MB/s " + way.label()));
    head.add(ways.size() == 2 ? "all/one" : "all/best");
    ways.forEach(way -> head.add("CPU s/GB " + way.label()));
    head.add("% by RDIO");
    List<List<String>> rows = new ArrayList<>();
    for (String task : rounds.keySet()) {
      List<String> row = new ArrayList<>(List.of(task));
      ways.forEach(way -> row.add(Grid.cell("%.0f", median(task, way, ReplicasFindings::rate))));
      Spread gain = spread(task, this::gain);
      row.add(Grid.cell("%.2f (%.2f-%.2f)", gain.median(), gain.min(), gain.max()));
      ways.forEach(way -> row.add(Grid.cell("%.2f", median(task, way, ReplicasFindings::cpu))));
      row.add(Grid.cell("%.0f", median(task, Way.ALL, ReplicasFindings::byRdio)));
      rows.add(row);
    }
    return new Grid(head, rows).text() + "\n" + Grid.wrapped(NOTE);
  }
}
