// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench;

import io.rdio.bench.cache.CacheCommand;
import io.rdio.bench.cache.MemoryCommand;
import io.rdio.bench.simulator.SimulateCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The benchmarks' commands. */
@Command(
    name = "bench",
    description = "Measures caches.",
    mixinStandardHelpOptions = true,
    subcommands = {SimulateCommand.class, CacheCommand.class, MemoryCommand.class})
public final class Bench {
  private Bench() {}

  /** Runs the subcommand that the arguments name and exits with its code. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Bench()).execute(args));
  }
}
