// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.Check.Rule;
import io.rdio.bench.papers.CommandPart.Bounds;
import io.rdio.bench.papers.MissRatios.Size;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Figures of the S3-FIFO paper, by its own numbers. What was published is of the authors' artifact,
 * which has the numbers that the figures were drawn from.
 */
final class S3FifoFigures {
  private static final String RESOURCE = "s3fifo.json";
  private static final String ARTIFACT =
      "the authors' artifact, github.com/Thesys-lab/sosp23-s3fifo at 6bc49d96, ";
  private static final String S3_FIFO = "S3-FIFO";

  /** Of means of reductions: what is less apart is a tie. */
  private static final double TIE = 0.01;

  /** Of speeds in times of LRU's. */
  private static final double SAME_SPEED = 0.05;

  private static final Size LARGE = MissRatios.SIZES.get(0);
  private static final Size SMALL = MissRatios.SIZES.get(1);

  /** Policies that are the paper's own; W-TinyLFU here is Caffeine. */
  private static final List<String> SAME_POLICIES = List.of("LIRS", "2Q", "ARC", "CLOCK", "LRU");

  private static final String TRACES =
      "The paper has 6594 traces of 14 origins, most with millions of objects, and leaves caches of"
          + " less than 1000 objects out; here a few public traces and made ones are replayed, and"
          + " caches of less than 20 objects left out";

  private static final Part MISS_RATIOS = new MissRatios();
  private static final Part SMALL_QUEUES = new SmallQueueSizes();
  private static final Part DEMOTIONS = new Demotions();

  private static final String THROUGHPUT = "Zipf 0.99, 95% hits";

  private static final Part CACHES =
      CommandPart.printing(
          "caches",
          "cache --threads 1,2,4,8,16 --hit-ratio PERCENT_95 --overwrites 0 --iterations 10",
          "cache --threads 1,2 --hit-ratio PERCENT_95 --overwrites 0 --iterations 3",
          new Bounds(250, 65),
          (json, printed) -> new Measured(List.of(throughput(printed))));

  private S3FifoFigures() {}

  static List<Figure> all() {
    return List.of(
        percentiles(),
        datasets(),
        threads(),
        FlashFigures.admission(),
        FlashFigures.tier(),
        demotions(),
        smallQueues());
  }

  private static Figure percentiles() {
    Figure.Builder figure =
        Figure.of(
                Paper.S3_FIFO,
                "6",
                "miss ratio reductions over all traces, large and small caches",
                published("6", "result/cachesim"))
            .shows(MISS_RATIOS, LARGE.spread(), SMALL.spread(), LARGE.byTrace(), SMALL.byTrace())
            .differs(TRACES)
            .differs(
                "W-TinyLFU is Caffeine, whose window adapts; the paper's is fixed at 1% or 10%")
            .differs("SLRU, Cacheus, LeCaR, LHD, FIFO-Merge and B-LRU are not simulated here");
    for (Size size : MissRatios.SIZES) {
      figure.expects(
          Check.that(
              "S3-FIFO has the best mean, cache of " + size.label(),
              bestMean(size.spread(), Statistics.MEAN)));
      figure.expects(
          Check.that(
              "its worst tenth is no worse than that of LIRS, cache of " + size.label(),
              Check.notBelow(
                  Check.at(size.spread(), S3_FIFO, Statistics.P10),
                  Check.at(size.spread(), "LIRS", Statistics.P10),
                  TIE)));
      figure.expects(
          Check.that(
              "LRU gains less than three quarters of that, cache of " + size.label(),
              Check.atLeast(
                  Check.at(size.spread(), S3_FIFO, Statistics.MEAN),
                  1.34,
                  Check.at(size.spread(), "LRU", Statistics.MEAN))));
    }
    return figure.build();
  }

  private static Rule bestMean(String panel, String label) {
    List<Rule> rules = new ArrayList<>();
    for (String policy : SAME_POLICIES) {
      rules.add(
          Check.notBelow(Check.at(panel, S3_FIFO, label), Check.at(panel, policy, label), TIE));
    }
    return Check.all(rules);
  }

  private static Figure datasets() {
    return Figure.of(
            Paper.S3_FIFO,
            "7",
            "mean miss ratio reductions by origin of traces",
            published("7", "result/cachesim", "S3-FIFO has the best mean on 10 of 14 datasets."))
        .shows(MISS_RATIOS, LARGE.byGroup(), SMALL.byGroup())
        .expects(
            Check.that(
                "S3-FIFO has the best mean for most origins, large caches",
                mostly(LARGE.byGroup())))
        .differs(TRACES)
        .build();
  }

  /** Holds if S3-FIFO's value is the best one, or a tie, of more than half of the labels. */
  private static Rule mostly(String title) {
    return ours -> {
      List<String> labels =
          ours.panel(title)
              .map(panel -> List.copyOf(panel.lines().getOrDefault(S3_FIFO, Map.of()).keySet()))
              .orElse(List.of());
      List<String> losses =
          labels.stream().filter(label -> !bestMean(title, label).wrong(ours).isEmpty()).toList();
      return !labels.isEmpty() && 2 * losses.size() < labels.size()
          ? ""
          : "not for " + losses + " of " + labels;
    };
  }

  private static Figure threads() {
    return Figure.of(
            Paper.S3_FIFO,
            "8",
            "throughput by threads",
            published("8", "scripts/plot_throughput.py"))
        .shows(CACHES, THROUGHPUT)
        .expects(
            Check.that(
                "S3-FIFO with two threads serves more than with one",
                Check.atLeast(
                    Check.at(THROUGHPUT, S3_FIFO, "2"), 1, Check.at(THROUGHPUT, S3_FIFO, "1"))))
        .expects(
            Check.that(
                "LRU behind a lock does not: two threads serve no more than one",
                Check.atLeast(
                    Check.at(THROUGHPUT, "LRU", "1"), 0.9, Check.at(THROUGHPUT, "LRU", "2"))))
        .expects(
            Check.that(
                "S3-FIFO serves more than that LRU with two threads",
                Check.atLeast(
                    Check.at(THROUGHPUT, S3_FIFO, "2"), 1, Check.at(THROUGHPUT, "LRU", "2"))))
        .differs(
            "Caches in Java where the paper has CacheLib in C++; Caffeine and Guava stand beside;"
                + " as many threads as the machine has cores mean something, more do not")
        .build();
  }

  /** Rows of a Markdown table: hit ratio, overwrites, threads, then operations by each cache. */
  static Panel throughput(List<String> printed) {
    Panel.Builder panel = Panel.of(THROUGHPUT, "threads", "million operations/s");
    for (String row : printed) {
      String[] cells = row.split("\\|", -1);
      if (row.matches("\\| *PERCENT_95 .*") && cells.length > 7) {
        String threads = cells[3].strip();
        panel
            .add(S3_FIFO, threads, number(cells[4]))
            .add("Caffeine", threads, number(cells[5]))
            .add("Guava", threads, number(cells[6]))
            .add("LRU", threads, number(cells[7]));
      }
    }
    return panel.build();
  }

  private static double number(String cell) {
    return cell.isBlank() ? Double.NaN : Double.parseDouble(cell.strip());
  }

  private static Figure demotions() {
    return Figure.of(
            Paper.S3_FIFO,
            "10",
            "speed and precision of quick demotion",
            published("10", "result/demotion"))
        .shows(DEMOTIONS, Demotions.SPEED, Demotions.PRECISION)
        .expects(
            Check.that(
                "the larger the small queue, the slower the demotion, on each trace",
                forEachLine(
                    Demotions.SPEED,
                    line -> falling(Demotions.SPEED, line, Demotions.SHARES, SAME_SPEED))))
        .expects(
            Check.that(
                "a small queue of 0.10 demotes 1.5 times as fast as LRU or more, on each trace",
                forEachLine(
                    Demotions.SPEED,
                    line -> Check.atLeast(Check.at(Demotions.SPEED, line, "0.10"), 1.5))))
        .expects(
            Check.that(
                "and no less precisely than one of 0.01, on each trace",
                forEachLine(
                    Demotions.PRECISION,
                    line ->
                        Check.notBelow(
                            Check.at(Demotions.PRECISION, line, "0.10"),
                            Check.at(Demotions.PRECISION, line, "0.01"),
                            TIE))))
        .differs("The paper has MSR hm_0 and Twitter's cluster 52; ARC and TinyLFU beside")
        .build();
  }

  private static Rule falling(String panel, String line, List<String> labels, double slack) {
    List<String> reversed = new ArrayList<>(labels);
    Collections.reverse(reversed);
    return Check.rising(panel, line, reversed, slack);
  }

  /** Holds if there is a line and the rule holds for each. */
  private static Rule forEachLine(String panel, Function<String, Rule> rule) {
    return ours -> {
      List<String> lines =
          ours.panel(panel).map(found -> List.copyOf(found.lines().keySet())).orElse(List.of());
      return lines.isEmpty()
          ? "nothing was measured"
          : Check.all(lines.stream().map(rule).toList()).wrong(ours);
    };
  }

  private static Figure smallQueues() {
    Figure.Builder figure =
        Figure.of(
                Paper.S3_FIFO,
                "11",
                "miss ratio reductions by the small queue's size, and without the ghost queue",
                published("11", "result/cachesim_fifo"))
            .shows(
                SMALL_QUEUES,
                SmallQueueSizes.spread(LARGE),
                SmallQueueSizes.spread(SMALL),
                SmallQueueSizes.ghosts(LARGE),
                SmallQueueSizes.ghosts(SMALL))
            .differs(TRACES)
            .differs("The ghost queue's part is ours: the paper has no figure of it");
    for (Size size : MissRatios.SIZES) {
      String title = SmallQueueSizes.spread(size);
      List<String> beyond = SmallQueueSizes.SHARES.subList(3, SmallQueueSizes.SHARES.size());
      figure.expects(
          Check.that(
              "from 0.20 on a larger small queue is a worse one, in the mean, cache of "
                  + size.label(),
              falling(title, Statistics.MEAN, beyond, TIE)));
      figure.expects(
          Check.that(
              "0.90 gains less than half of what 0.10 does, cache of " + size.label(),
              Check.atLeast(
                  Check.at(title, Statistics.MEAN, "0.10"),
                  2,
                  Check.at(title, Statistics.MEAN, "0.90"))));
    }
    return figure.build();
  }

  /**
   * What the artifact has of a figure.
   *
   * @param place of it in the artifact
   */
  static Published published(String number, String place, String... sayings) {
    return Published.numbers(RESOURCE, number, ARTIFACT + place, sayings);
  }
}
