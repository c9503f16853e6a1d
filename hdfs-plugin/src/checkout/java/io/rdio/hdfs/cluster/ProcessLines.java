// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The lines that a process prints, each waited for no longer than it may take. A thread of its own
 * reads them until the process's output ends; but for that it is for one thread.
 */
public final class ProcessLines {
  /** More than anybody leaves unread: with so many the process waits until some are taken. */
  private static final int UNREAD_MAX = 1_000;

  private static final int LOG_LINES = 12;
  private static final int SHOWN_CHARS = 200;

  /**
   * What came of the process.
   *
   * @param text null if its output has ended
   */
  private record Line(@Nullable String text) {}

  private final String name;
  private final Path log;
  private final BlockingQueue<Line> unread;

  /** The first that was not taken, if somebody asked whether there is one. */
  private @Nullable Line next;

  private String taken = "nothing";

  private ProcessLines(String name, Path log, BlockingQueue<Line> unread) {
    this.name = name;
    this.log = log;
    this.unread = unread;
  }

  /**
   * Reads what a process prints from now on; nobody else should.
   *
   * @param name of the process, for people
   * @param log of its standard error, the end of which is in what is thrown
   */
  public static ProcessLines of(Process process, String name, Path log) {
    BlockingQueue<Line> unread = new ArrayBlockingQueue<>(UNREAD_MAX);
    Thread reader =
        new Thread(() -> read(process.inputReader(UTF_8), unread), "lines-of-" + process.pid());
    reader.setDaemon(true);
    reader.start();
    return new ProcessLines(name, log, unread);
  }

  private static void read(BufferedReader output, BlockingQueue<Line> unread) {
    try {
      putAll(output, unread);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void putAll(BufferedReader output, BlockingQueue<Line> unread)
      throws InterruptedException {
    try {
      for (String text = output.readLine(); text != null; text = output.readLine()) {
        unread.put(new Line(text));
      }
    } catch (IOException e) {
      // Its end was closed from here, as that of a process that is killed.
    }
    unread.put(new Line(null));
  }

  /** Whether it prints a line, or ends, within a time. */
  public boolean hasLine(Duration max) throws IOException {
    return peek(max) != null;
  }

  /**
   * Takes the next line that it prints.
   *
   * @param what that is, for people
   * @throws IOException if none comes within a time, or the process has ended; it names what was
   *     waited for, the line before, and the end of the log
   */
  public String next(String what, Duration max) throws IOException {
    Line line = peek(max);
    if (line == null) {
      throw none(what, "printed nothing for " + max.toSeconds() + " s");
    }
    String text = line.text();
    if (text == null) {
      throw none(what, "ended"); // and says so to whoever asks again
    }
    next = null;
    taken = text;
    return text;
  }

  private @Nullable Line peek(Duration max) throws IOException {
    if (next == null) {
      try {
        next = unread.poll(max.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while " + name + " was waited for");
      }
    }
    return next;
  }

  private IOException none(String what, String why) {
    return new IOException(
        name
            + " "
            + why
            + ", and was to print "
            + what
            + "; it printed last: "
            + taken.substring(0, Math.min(SHOWN_CHARS, taken.length()))
            + "; the end of "
            + log
            + ":\n"
            + endOfLog());
  }

  private String endOfLog() {
    Deque<String> last = new ArrayDeque<>();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(Files.newInputStream(log), UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last.add(line);
        if (last.size() > LOG_LINES) {
          last.remove();
        }
      }
    } catch (IOException e) {
      last.add("(" + e + ")");
    }
    return String.join("\n", last);
  }
}
