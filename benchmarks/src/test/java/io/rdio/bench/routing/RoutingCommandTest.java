// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What options become; what of them cannot be is in BenchTest. */
class RoutingCommandTest {
  private static RoutingBenchmark parsed(String... arguments) {
    RoutingCommand command = new RoutingCommand();
    new CommandLine(command).parseArgs(arguments);
    return (RoutingBenchmark) command.benchmark();
  }

  @Test
  void withoutOptionsOneThreadReadsByPosition() {
    assertThat(parsed())
        .isEqualTo(
            new RoutingBenchmark(
                1L << 30, List.of(4 << 10, 1 << 20), List.of(1), 8, 2, 8, "true", false));
  }

  @Test
  void streamsAskForMebibytes() {
    RoutingBenchmark benchmark =
        parsed("--stream", "--routing", "adaptive", "--threads", "1,8", "--size", "256m");
    assertThat(benchmark.stream()).isTrue();
    assertThat(benchmark.sizes()).containsExactly(1 << 20);
    assertThat(benchmark.threads()).containsExactly(1, 8);
    assertThat(benchmark.routing()).isEqualTo("adaptive");
    assertThat(benchmark.bytes()).isEqualTo(512L << 20);
  }

  @Test
  void sizesAreOfStreamsToo() {
    assertThat(parsed("--stream", "--sizes", "64k").sizes()).containsExactly(64 << 10);
  }
}
