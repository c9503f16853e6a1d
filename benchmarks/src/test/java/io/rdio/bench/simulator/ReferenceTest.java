// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdio.s3fifo.policy.Traces;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The policies against the reference table, which libCacheSim and Caffeine's simulator made. */
class ReferenceTest {
  /** Policies whose misses must be those of the table, to the last one. */
  private static final Map<String, String> EXACT =
      Map.of(
          "2Q", "2Q",
          "FIFO", "FIFO",
          "LRU", "LRU",
          "CLOCK", "CLOCK",
          "SIEVE", "SIEVE",
          "ARC", "ARC",
          "Belady", "Belady",
          "S3-FIFO(paper-alg1)", "S3-FIFO");

  /**
   * Those whose misses depend on a random seed (Caffeine) or on details the paper leaves (LIRS).
   */
  private static final Map<String, String> NEAR =
      Map.of("Caffeine(product)", "W-TinyLFU", "LIRS", "LIRS");

  @ParameterizedTest
  @MethodSource("traces")
  void missesAreThoseOfTheTable(String name) {
    Optional<long[]> ids = Traces.ids(name);
    assumeTrue(ids.isPresent(), () -> Traces.reasonForSkipping(name));
    Trace trace = Trace.of(name, ids.orElseThrow());
    List<String> deviations = new ArrayList<>();
    for (String[] row : reference()) {
      String policy = EXACT.get(row[1]);
      if (row[0].equals(name) && policy != null) {
        int capacity = Integer.parseInt(row[2]);
        int misses = trace.misses(Policies.create(policy, capacity, trace));
        if (misses != Integer.parseInt(row[6])) {
          deviations.add(policy + " at " + capacity + ": " + misses + ", not " + row[6]);
        }
      }
    }
    assertThat(deviations).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("traces")
  void missRatiosOfPoliciesWithVariantsAreNearTheTable(String name) {
    Optional<long[]> ids = Traces.ids(name);
    assumeTrue(ids.isPresent(), () -> Traces.reasonForSkipping(name));
    Trace trace = Trace.of(name, ids.orElseThrow());
    for (String[] row : reference()) {
      String policy = NEAR.get(row[1]);
      int capacity = Integer.parseInt(row[2]);
      if (row[0].equals(name) && policy != null && capacity >= 100) {
        int misses = trace.misses(Policies.create(policy, capacity, trace));
        assertThat((double) misses / trace.length())
            .as("%s at %d", policy, capacity)
            .isCloseTo(Double.parseDouble(row[3]), within(0.025));
      }
    }
  }

  static Stream<String> traces() {
    return reference().stream().map(row -> row[0]).distinct();
  }

  static List<String[]> reference() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                ReferenceTest.class.getResourceAsStream("reference.csv"),
                StandardCharsets.UTF_8))) {
      return lines.lines().skip(1).map(line -> line.split(",", -1)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
