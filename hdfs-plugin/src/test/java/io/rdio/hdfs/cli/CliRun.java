// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A command run within this JVM: its exit status and what it wrote. */
record CliRun(int status, String out, String err) {
  static CliRun of(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        Rdio.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(args);
    return new CliRun(status, out.toString(), err.toString());
  }
}
