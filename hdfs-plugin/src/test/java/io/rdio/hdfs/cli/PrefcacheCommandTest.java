// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code rdio prefcache} says to options that make no sense. */
class PrefcacheCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--listen  | seventy   | --listen seventy is not of the form [HOST:]PORT",
        "--listen  | a:70000   | is not of the form [HOST:]PORT",
        "--capacity| much      | --capacity much",
        "--capacity| 4k        | 4096 bytes does not hold one segment of 32768",
        "--segment | 48k       | segments of 49152 bytes: not a power of two",
        "--policy  | lru       | --policy lru: there is none such",
        "--on-write| keep      | --on-write keep: there is none such",
        "--drop-at | 1.5       | segments dropped at 1.5 invalid",
        "--queue   | 0         | a queue of 0 runs",
        "--report-every| -1    | --report-every -1: must not be negative",
      })
  void wrongUsage(String option, String value, String said) {
    List<String> words = new ArrayList<>(List.of("prefcache", "--device", "/dev/null"));
    words.addAll(option.equals("--listen") ? List.of() : List.of("--listen", "0"));
    words.addAll(option.equals("--capacity") ? List.of() : List.of("--capacity", "1g"));
    words.addAll(List.of(option, value));
    CliRun run = CliRun.of(words.toArray(String[]::new));
    assertThat(run.err()).contains(said).doesNotContain("    at ");
    assertThat(run.status()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"/dev/null, is not a block device", "/nonexistent, /nonexistent: no such device"})
  void devicesThatCannotBeCached(String device, String said) {
    CliRun run = CliRun.of("prefcache", "--listen", "0", "--capacity", "1g", "--device", device);
    assertThat(run.err()).contains(said).doesNotContain("    at ");
    assertThat(run.status()).isEqualTo(1);
  }
}
