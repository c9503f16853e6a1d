// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Host.CLIENT;

import io.rdio.hdfs.cluster.ProcessEnd;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Commands on the client's host, as an operator gives them. */
final class HostCommands {
  /** By which name it fences. */
  private static final String FENCER = "client";

  private final FabricHdfs hdfs;
  private final PrintStream out;

  /**
   * @param out takes what they say
   */
  HostCommands(FabricHdfs hdfs, PrintStream out) {
    this.hdfs = hdfs;
    this.out = out;
  }

  /** What a command said, on standard output and standard error. */
  record Said(int status, String text) {
    /** Whether there is a line with all of these words. */
    boolean line(String... words) {
      return text.lines().anyMatch(line -> List.of(words).stream().allMatch(line::contains));
    }
  }

  /** {@code rdio fence}; its records go to the guest's own layer. */
  Said fence(String... words) throws IOException {
    List<String> all = new ArrayList<>(List.of("fence", "--as", FENCER));
    all.addAll(List.of(words));
    return run("rdio fence", hdfs.rdio(all.toArray(String[]::new)));
  }

  /** {@code rdio doctor} of a file. */
  Said doctor(String file) throws IOException {
    return run("rdio doctor", hdfs.rdio("doctor", file));
  }

  private Said run(String name, ProcessBuilder command) throws IOException {
    Process process = CLIENT.place(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      ProcessEnd end = ProcessEnd.of(process, name, Waits.ANSWER);
      out.println(end.output());
      return new Said(end.status(), end.output());
    } finally {
      process.destroyForcibly();
    }
  }
}
