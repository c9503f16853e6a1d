// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import io.rdio.hdfs.cli.Rdio;
import io.rdio.hdfs.load.LoadCommand;
import picocli.CommandLine;

/** The rdio command of a checkout: what the jar's has, the demo and the load. */
public final class Checkout {
  private Checkout() {}

  /** Runs one command and exits with its status. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    CommandLine rdio = Rdio.commandLine(new DemoCommand(), new LoadCommand());
    // bin/rdio keeps these for itself.
    rdio.getCommandSpec()
        .usageMessage()
        .footer(
            "  bench      Measures ways of reading, and caches.",
            "  simulate   Replays a trace against eviction policies.",
            "  dashboard  Checks the Grafana dashboard against a busy cluster, and draws it.",
            "  pattern    Reads a device as RDIO does, in bare C: the least that it takes.",
            "  testbed    HDFS over NVMe/TCP in a virtual machine: its traffic and faults.",
            "",
            "bin/rdio COMMAND --help says more of each.");
    return rdio;
  }
}
