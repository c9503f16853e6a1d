// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Host.CLIENT;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InterruptedIOException;
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
    return run(hdfs.rdio(all.toArray(String[]::new)));
  }

  /** {@code rdio doctor} of a file. */
  Said doctor(String file) throws IOException {
    return run(hdfs.rdio("doctor", file));
  }

  private Said run(ProcessBuilder command) throws IOException {
    Process process = CLIENT.place(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      String text = new String(process.getInputStream().readAllBytes(), UTF_8);
      int status = process.waitFor();
      out.println(text);
      return new Said(status, text);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      IOException interrupted = new InterruptedIOException("interrupted in a command");
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      process.destroyForcibly();
    }
  }
}
