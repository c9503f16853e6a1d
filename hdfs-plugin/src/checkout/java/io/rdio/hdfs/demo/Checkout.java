// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import io.rdio.hdfs.cli.Rdio;
import picocli.CommandLine;

/** The rdio command of a checkout: what the jar's has, and the demo. */
public final class Checkout {
  private Checkout() {}

  /** Runs one command and exits with its status. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    CommandLine rdio = Rdio.commandLine(new DemoCommand());
    // bin/rdio keeps these for itself.
    rdio.getCommandSpec()
        .usageMessage()
        .footer(
            "  bench      Measures ways of reading, and caches.",
            "  simulate   Replays a trace against eviction policies.",
            "  testbed    HDFS over NVMe/TCP in a virtual machine: its traffic and faults.",
            "",
            "bin/rdio COMMAND --help says more of each.");
    return rdio;
  }
}
