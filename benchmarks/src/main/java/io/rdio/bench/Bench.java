// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench;

import io.rdio.bench.cache.CacheCommand;
import io.rdio.bench.cache.MemoryCommand;
import io.rdio.bench.characterize.CharacterizeCommand;
import io.rdio.bench.cold.ColdCommand;
import io.rdio.bench.jdks.JdksCommand;
import io.rdio.bench.leases.LeasesCommand;
import io.rdio.bench.leases.ScaleCommand;
import io.rdio.bench.maps.MapsCommand;
import io.rdio.bench.micro.MicroCommand;
import io.rdio.bench.objects.ObjectsCommand;
import io.rdio.bench.papers.PapersCommand;
import io.rdio.bench.plane.PlaneCommand;
import io.rdio.bench.processes.ProcessesCommand;
import io.rdio.bench.read.ReadCommand;
import io.rdio.bench.records.RecordsCommand;
import io.rdio.bench.replicas.ReplicasCommand;
import io.rdio.bench.resilience.ResilienceCommand;
import io.rdio.bench.routing.RoutingCommand;
import io.rdio.bench.twolevel.ExtentCacheCommand;
import io.rdio.bench.twolevel.KtracerCommand;
import io.rdio.bench.twolevel.NearExclusiveCommand;
import io.rdio.bench.twolevel.TwoLevelCommand;
import io.rdio.bench.vectored.VectoredCommand;
import io.rdio.bench.write.WriteCommand;
import io.rdio.bench.ycsb.YcsbCommand;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The benchmarks' commands. Those that start a cluster need Hadoop and RDIO's jar on the class path
 * besides; the others run without, so that none of them may be in a field or a signature here.
 */
@Command(
    name = "bench",
    description = "Measures ways of reading and of writing, and caches.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ReadCommand.class,
      WriteCommand.class,
      YcsbCommand.class,
      ObjectsCommand.class,
      RecordsCommand.class,
      CharacterizeCommand.class,
      VectoredCommand.class,
      MicroCommand.class,
      RoutingCommand.class,
      ReplicasCommand.class,
      JdksCommand.class,
      ColdCommand.class,
      ResilienceCommand.class,
      ProcessesCommand.class,
      PlaneCommand.class,
      MapsCommand.class,
      LeasesCommand.class,
      ScaleCommand.class,
      TwoLevelCommand.class,
      NearExclusiveCommand.class,
      KtracerCommand.class,
      ExtentCacheCommand.class,
      SimulateCommand.class,
      CacheCommand.class,
      MemoryCommand.class,
      PapersCommand.class
    })
public final class Bench {
  private Bench() {}

  /** Runs the subcommand that the arguments name and exits with its code. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** All commands. */
  static CommandLine commandLine() {
    CommandLine bench = new CommandLine(new Bench());
    bench.setExecutionExceptionHandler(
        (e, command, parsed) -> {
          if (e instanceof IOException) { // Foreseen: its message says all that is needed.
            command
                .getErr()
                .println(command.getCommandSpec().qualifiedName() + ": " + e.getMessage());
            return CommandLine.ExitCode.SOFTWARE;
          }
          throw e;
        });
    return bench;
  }
}
