// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.FallbackException;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The rdio command. Exit status: 0 in order, 1 not in order, 2 wrong usage; of fs also 3. */
@Command(
    name = "rdio",
    description = "RDIO-HDFS: HDFS clients read blocks straight from the shared device.",
    mixinStandardHelpOptions = true,
    versionProvider = Rdio.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "In a checkout also: demo, load, dashboard, bench, simulate, pattern, testbed",
      "(bin/rdio demo --help)."
    },
    subcommands = {
      DoctorCommand.class,
      MapCommand.class,
      LeasesCommand.class,
      StatCommand.class,
      FsCommand.class,
      UninstallCommand.class,
      FenceCommand.class,
      AgentCommand.class,
      KtraceCommand.class,
      PrefcacheCommand.class
    })
public final class Rdio {
  private Rdio() {}

  /** Runs one command and exits with its status. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /**
   * The command, not run yet.
   *
   * @param more commands besides those of the jar
   */
  public static CommandLine commandLine(Object... more) {
    CommandLine rdio = new CommandLine(new Rdio());
    for (Object command : more) {
      rdio.addSubcommand(command);
    }
    // Settings reach the commands that are there by now.
    rdio.setCaseInsensitiveEnumValuesAllowed(true);
    rdio.setExecutionExceptionHandler(
        (e, command, parsed) -> {
          command.getErr().println("rdio " + command.getCommandName() + ": " + message(e));
          return CommandLine.ExitCode.SOFTWARE;
        });
    return rdio;
  }

  /** Foreseen failures say all that is needed; others are for whoever mends them. */
  private static String message(Exception e) {
    if (e instanceof IOException || e instanceof FallbackException) {
      return Failures.text(e);
    }
    StringBuilder text = new StringBuilder(e.toString());
    for (StackTraceElement element : e.getStackTrace()) {
      text.append("\n    at ").append(element);
    }
    return text.toString();
  }

  /** The version that the jar's manifest has. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
      String version = Rdio.class.getPackage().getImplementationVersion();
      return new String[] {"rdio " + (version == null ? "(not from its jar)" : version)};
    }
  }
}
