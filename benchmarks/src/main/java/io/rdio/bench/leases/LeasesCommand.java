// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench leases}: whether what the DataNode does for a lease depends on their number. */
@Command(
    name = "leases",
    mixinStandardHelpOptions = true,
    description = {
      "Measures with JMH what the DataNode does for leases: grant, renew, return, expire, sweep,"
          + " list, one step at a time, with several numbers of them; and to grant and to sweep while"
          + " links of an earlier start are kept.",
      "Five million leases want a heap of 2 GB."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class LeasesCommand implements Callable<Integer> {
  private static final List<Integer> LEFTOVERS = List.of(0, 200_000);

  @Option(
      names = "--leases",
      split = ",",
      defaultValue = "10000,100000,1000000,5000000",
      paramLabel = "N",
      description = "Leases in the table. Default: ${DEFAULT-VALUE}.")
  private List<Integer> leases;

  @Option(
      names = "--pins",
      defaultValue = "0",
      paramLabel = "N",
      description = "Pins in the table, however many leases. Default: one for each 50 leases.")
  private int pins;

  @Option(
      names = "--step",
      paramLabel = "REGEX",
      description = "Steps to measure, by name. Default: all.")
  private String step = "";

  @Option(
      names = "--heap",
      defaultValue = "2g",
      paramLabel = "SIZE",
      description = "Heap of the JVM that measures. Default: ${DEFAULT-VALUE}.")
  private String heap;

  @Override
  public Integer call() throws IOException {
    try {
      Collection<RunResult> results = new ArrayList<>(measure(BareMemory.class, "leases", leases));
      results.addAll(measure(LeaseSteps.class, "leases", leases));
      print("leases", leases, results);
      print("leftovers", LEFTOVERS, measure(LeftoverSteps.class, "leftovers", LEFTOVERS));
      return 0;
    } catch (RunnerException e) {
      throw new IOException("JMH failed: " + e.getMessage(), e);
    }
  }

  private Collection<RunResult> measure(Class<?> steps, String parameter, List<Integer> counts)
      throws RunnerException {
    try {
      return new Runner(
              new OptionsBuilder()
                  .include(steps.getName() + "\\..*(" + step + ")")
                  .param(parameter, counts.stream().map(String::valueOf).toArray(String[]::new))
                  .param("pins", String.valueOf(pins))
                  .jvmArgsAppend("-Xmx" + heap)
                  .build())
          .run();
    } catch (NoBenchmarksException e) {
      return List.of(); // only steps of the other kind were asked for
    }
  }

  private static void print(String what, List<Integer> counts, Collection<RunResult> results) {
    if (results.isEmpty()) {
      return;
    }
    TreeMap<String, List<RunResult>> bySteps =
        new TreeMap<>(
            results.stream()
                .collect(Collectors.groupingBy(result -> result.getPrimaryResult().getLabel())));
    System.out.print("\n| ns/op, with " + what + " ");
    counts.forEach(count -> System.out.printf(Locale.ROOT, "| %,d ", count));
    System.out.println("|\n|---" + "|--:".repeat(counts.size()) + "|");
    bySteps.forEach(
        (name, some) -> {
          System.out.print("| " + name + " ");
          for (RunResult result : some) {
            System.out.printf(
                Locale.ROOT,
                "| %.0f ± %.0f ",
                result.getPrimaryResult().getScore(),
                result.getPrimaryResult().getScoreError());
          }
          System.out.println("|");
        });
  }
}
