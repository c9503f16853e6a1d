// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdio.s3fifo.policy.NaiveS3Fifo.Mutant;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The policy against the reference, request by request, and proof that this would catch an error.
 */
class ExactTest {
  /** Each trace as most tests want it, made once: that takes longer than many a run through it. */
  private static final Map<String, Optional<int[]>> DENSE = new HashMap<>();

  @AfterAll
  static void forget() {
    DENSE.clear();
  }

  @ParameterizedTest
  @MethodSource("traces")
  void everyRequestHitsOrMissesAsInTheReference(String name) {
    Optional<int[]> trace = dense(name);
    assumeTrue(trace.isPresent(), () -> Traces.reasonForSkipping(name));
    assertThat(deviations(name, trace.orElseThrow(), PolicyCache::new)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void catchesEveryMutant(Mutant mutant) {
    int[] trace = dense("c2k-web12").orElseThrow();
    Stream<String> deviations =
        deviations("c2k-web12", trace, maximum -> new NaiveS3Fifo(maximum, mutant));
    assertThat(deviations.findFirst()).isPresent(); // no capacity is tried behind the first
  }

  @ParameterizedTest
  @EnumSource
  void mutantsAreTheOnesOfTheReference(Mutant mutant) {
    List<String> different = new ArrayList<>();
    for (String[] row : Traces.csv("mutants.csv")) {
      if (Mutant.of(row[2]) == mutant && row[0].matches("c2k.*|zipf.*|two.*")) {
        int[] trace = dense(row[0]).orElseThrow();
        NaiveS3Fifo cache = new NaiveS3Fifo(Integer.parseInt(row[1]), mutant);
        int misses = SimulatedCache.run(trace, cache).misses();
        if (misses != Integer.parseInt(row[3])) {
          different.add(String.join(",", row) + " but " + misses);
        }
      }
    }
    assertThat(different).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "zipf0.70-s, fdee299522eb6298461f76f1f7a542a708ff28b24cc2c30174cb839be3d3850e",
    "zipf0.99-s, 0ab6729b7f3e6b5fa191aa0513dec86f86d42e94d4bde4bf625ee3f8578239f4",
    "zipf1.20-s, 8ebead89d47efd3da246fafd1122059c4d36ea58d54c4a641ee47757527a5b24",
    "zipfscan-s, 1836c0edcfd18ac540fd4c54a4898225aa21eadfb5ded10643f54e4f6f2d433f",
    "twohit-s, 758db27fe60e9bec86ae10e125a9294bdcf1fd131c92d8cbb8bfe2bc30bc92a9",
    "twohitwarm-s, 40c33b53d49af5f92b432a7f539a2e6933b7333a835d375c3e74e85deaa87eae",
    "shift-s, 88304091b83b604a0a509e826f9cea1309ef284db325edf7ed8f8cefd296cfc5",
  })
  void generatedTracesAreThoseOfTheReference(String name, String sha256) throws Exception {
    long[] ids = SyntheticTraces.generate(name);
    ByteBuffer raw = ByteBuffer.allocate(ids.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    raw.asLongBuffer().put(ids);
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(raw.array());
    assertThat(HexFormat.of().formatHex(digest)).isEqualTo(sha256);
  }

  static Stream<String> traces() {
    return Traces.csv("exact.csv").stream().map(row -> row[0]).distinct();
  }

  private static Optional<int[]> dense(String name) {
    return DENSE.computeIfAbsent(name, any -> Traces.ids(any).map(Traces::dense));
  }

  private static Stream<String> deviations(
      String name, int[] trace, IntFunction<SimulatedCache> cacheOfSize) {
    return Traces.csv("exact.csv").stream()
        .filter(row -> row[0].equals(name))
        .flatMap(row -> deviation(row, trace, cacheOfSize.apply(Integer.parseInt(row[2]))));
  }

  private static Stream<String> deviation(String[] row, int[] trace, SimulatedCache cache) {
    var outcome = SimulatedCache.run(trace, cache);
    String actual = "%d,%d,%08x".formatted(outcome.misses(), trace.length, outcome.crc());
    String expected = row[3] + "," + row[4] + "," + row[5];
    return actual.equals(expected)
        ? Stream.empty()
        : Stream.of("capacity " + row[2] + ": expected " + expected + ", was " + actual);
  }
}
