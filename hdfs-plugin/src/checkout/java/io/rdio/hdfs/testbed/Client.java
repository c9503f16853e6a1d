// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.nio.file.Path;

/** The client JVM, seen from outside. Commands go one after the other; not thread-safe. */
final class Client implements AutoCloseable {
  /** Something done to the fabric. */
  interface Fault {
    void strike() throws IOException;
  }

  private final HostProgram program;

  /**
   * Starts it.
   *
   * @param log for its standard error
   */
  Client(ProcessBuilder command, Path log) throws IOException {
    program = new HostProgram(command, log);
  }

  long pid() {
    return program.pid();
  }

  /** Has files below {@link FabricHdfs#ON_PARTITION} written to the DataNode's second volume. */
  void choosePartition() throws IOException {
    require("chosen", "policy");
  }

  /** Has the client let go of devices that it has not in use any more. */
  void collectGarbage() throws IOException {
    require("collected", "collect");
  }

  private void require(String expected, String command) throws IOException {
    String answer = ask(command);
    if (!answer.equals(expected)) {
      throw new IOException("the client was asked to " + command + ", and says: " + answer);
    }
  }

  /** Writes files; returns the SHA-256 of all their bytes, in order. */
  String write(FileSet files) throws IOException {
    return write(files, "");
  }

  /** The same with so many replicas. */
  String write(FileSet files, int replication) throws IOException {
    return write(files, " " + replication);
  }

  private String write(FileSet files, String more) throws IOException {
    String answer =
        ask("write " + files.name() + " " + files.count() + " " + files.bytesEach() + more);
    if (!answer.startsWith("wrote ")) {
      throw new IOException("the client was to write " + files + ", and says: " + answer);
    }
    return answer.substring("wrote ".length());
  }

  /** Makes a folder whose files are erasure-coded. */
  void code(String folder, String policy) throws IOException {
    require("coded", "code " + folder + " " + policy);
  }

  /** Has the NameNode recover a file that its writer left open; whether it is closed by now. */
  boolean recover(String file) throws IOException {
    String answer = ask("recover " + file);
    if (answer.startsWith("failed ")) {
      throw new IOException("the client was to recover " + file + ", and says: " + answer);
    }
    return Boolean.parseBoolean(answer);
  }

  /** What {@code hdfs fsck} says of all files; empty if they are healthy. */
  String fsck() throws IOException {
    String answer = ask("fsck");
    return answer.startsWith("fsck 0 ") ? "" : answer;
  }

  /** Deletes a file. */
  void delete(String file) throws IOException {
    require("true", "delete " + file);
  }

  /** Reads files by stock HDFS or by RDIO. */
  ReadOutcome read(boolean byRdio, FileSet files) throws IOException {
    return ReadOutcome.parse(ask(readCommand(byRdio, files, Long.MAX_VALUE)));
  }

  /**
   * Reads files by RDIO; the fault strikes after so many bytes, while the client holds between two
   * calls of {@code read}, with its files and its device open.
   */
  ReadOutcome readWith(FileSet files, long afterBytes, Fault fault) throws IOException {
    require("holding", readCommand(true, files, afterBytes));
    String answer;
    try {
      fault.strike();
    } finally {
      answer = ask("go on");
    }
    return ReadOutcome.parse(answer);
  }

  private static String readCommand(boolean byRdio, FileSet files, long holdAt) {
    return String.join(
        " ",
        "read",
        byRdio ? "rdio" : "stock",
        files.name(),
        Integer.toString(files.count()),
        Long.toString(holdAt));
  }

  private String ask(String command) throws IOException {
    return program.ask(command);
  }

  @Override
  public void close() {
    program.close();
  }
}
