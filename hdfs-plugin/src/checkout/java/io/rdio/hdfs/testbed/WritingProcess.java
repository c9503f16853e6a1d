// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A process of a host that writes files by its agent, a {@link WriterMain}. For one thread. */
final class WritingProcess implements AutoCloseable {
  private final HostProgram program;

  /** Whether it was told to end a file, and nobody knows yet what came of it. */
  private boolean isEnding;

  /** What it said to the last write of that one, if that was read. */
  private @Nullable String wrote;

  /**
   * @param program that answers as {@link WriterMain} does; ended with this
   */
  WritingProcess(HostProgram program) {
    this.program = program;
  }

  /**
   * Starts one.
   *
   * @param name of its log
   */
  static WritingProcess start(FabricHdfs hdfs, Host host, String name) throws IOException {
    return new WritingProcess(
        new HostProgram(
            hdfs.writer(host, WriterMain.class.getName()), hdfs.logs().resolve(name + ".log")));
  }

  /** How many bytes the agent wrote for it so far. */
  long bytes() throws IOException {
    return Long.parseLong(program.ask("bytes"));
  }

  /** Creates a file with as many replicas as are usual. */
  void open(String file) throws IOException {
    require("opened", "open " + file);
  }

  /** Writes so much more to a file that is open; what it is depends on name and offset alone. */
  void write(String file, long bytes) throws IOException {
    require("wrote", "write " + file + " " + bytes);
  }

  /** SHA-256 of what was written to a file that is open, or whose close failed. */
  String digest(String file) throws IOException {
    return program.ask("digest " + file);
  }

  /** Creates, writes and closes a file; its SHA-256. */
  String create(String file, long bytes) throws IOException {
    open(file);
    return finished(file, bytes);
  }

  /** The same with so many replicas. */
  String create(String file, int replication, long bytes) throws IOException {
    require("opened", "open " + file + " " + replication);
    return finished(file, bytes);
  }

  private String finished(String file, long bytes) throws IOException {
    program.tell("write " + file + " " + bytes);
    program.tell("close " + file);
    WriteAnswer answer = WriteAnswer.parse(program.line(), program.line());
    if (!answer.isClosed()) {
      throw new IOException("a writer cannot write " + file + ": " + answer.text());
    }
    return answer.text();
  }

  /** Closes a file that is open. */
  WriteAnswer close(String file) throws IOException {
    return WriteAnswer.parse("wrote", program.ask("close " + file));
  }

  /** Has it close a file, without a wait for it. */
  void tellToClose(String file) {
    program.tell("close " + file);
  }

  /** Has it write the rest of a file and close it, without a wait for either. */
  void tellToEnd(String file, long bytes) {
    isEnding = true;
    program.tell("write " + file + " " + bytes);
    tellToClose(file);
  }

  /** Whether it is told within about a time what came of that. */
  boolean isAnswered(Duration max) throws IOException {
    if (wrote == null && program.hasLine(max)) {
      wrote = program.line();
    }
    return wrote != null && program.hasLine(max);
  }

  /** What came of it; fails if it is not told in time. */
  WriteAnswer answer(Duration max) throws IOException {
    String first = wrote == null ? program.line(max) : wrote;
    wrote = first;
    String closed = program.line(max);
    wrote = null;
    isEnding = false;
    return WriteAnswer.parse(first, closed);
  }

  /** Waits for what came of it if nobody asked: else it would be taken for another answer. */
  void dropAnswer(Duration max) throws IOException {
    if (isEnding) {
      answer(max);
    }
  }

  void delete(String file) throws IOException {
    require("true", "delete " + file);
  }

  private void require(String expected, String command) throws IOException {
    String answer = program.ask(command);
    if (!answer.equals(expected)) {
      throw new IOException("a writer was asked to " + command + ", and says: " + answer);
    }
  }

  /**
   * Whether its agent writes within the usual time: writes files of one size, and deletes them
   * again, until the agent wrote one.
   *
   * @param files their name, up to a number
   */
  boolean isServed(String files, long bytes) throws IOException {
    long before = bytes();
    int[] number = {0};
    return Waits.comes(
        () -> {
          String file = files + number[0]++;
          create(file, bytes);
          delete(file);
          return bytes() > before;
        });
  }

  @Override
  public void close() {
    program.close();
  }
}
