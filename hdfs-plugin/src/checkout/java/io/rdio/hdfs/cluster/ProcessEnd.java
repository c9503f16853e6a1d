// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * How a process ended, which is waited for no longer than it may take: then it is killed, with
 * those that it started, and so it is where who waits is interrupted.
 *
 * @param status 0 where it succeeded
 * @param output all that it printed
 */
public record ProcessEnd(int status, String output) {
  /** For a command on a busy machine. */
  private static final Duration COMMAND_MAX = Duration.ofMinutes(10);

  private static final Duration KILL_MAX = Duration.ofMinutes(1);
  private static final int SHOWN_CHARS = 2_000;

  /** What is made of all that a process prints. */
  @FunctionalInterface
  public interface Reading<T> {
    /** Reads to the end. */
    T of(InputStream output) throws IOException;
  }

  /** Reads all that a command prints, and waits for its end: for ten minutes each. */
  public static ProcessEnd of(Process process, String name) throws IOException {
    return of(process, name, COMMAND_MAX);
  }

  /**
   * Reads all that a process prints, and waits for its end.
   *
   * @param name of the process, for people
   * @param max for each of both
   * @throws IOException if that was not enough; it has the end of what was printed by then
   */
  public static ProcessEnd of(Process process, String name, Duration max) throws IOException {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    Supplier<String> end = () -> "; the end of what it printed: " + endOf(printed.toString(UTF_8));
    read(process, name, max, output -> output.transferTo(printed), end);
    return new ProcessEnd(statusOf(process, name, max), printed.toString(UTF_8));
  }

  private static String endOf(String text) {
    return text.substring(Math.max(0, text.length() - SHOWN_CHARS));
  }

  /**
   * Reads what a process prints, by a thread of its own, until that ends.
   *
   * @throws IOException if it does not end in time, or cannot be read
   */
  public static <T> T read(Process process, String name, Duration max, Reading<T> reading)
      throws IOException {
    return read(process, name, max, reading, () -> "");
  }

  /**
   * @param more for the message where it does not end in time
   */
  private static <T> T read(
      Process process, String name, Duration max, Reading<T> reading, Supplier<String> more)
      throws IOException {
    FutureTask<T> task = new FutureTask<>(() -> reading.of(process.getInputStream()));
    Thread reader = new Thread(task, "output-of-" + process.pid());
    reader.setDaemon(true);
    reader.start();
    try {
      reader.join(Math.max(1, max.toMillis()));
      if (reader.isAlive()) {
        killAll(process);
        reader.join(KILL_MAX.toMillis()); // what it printed by then has been read
        throw late(name, max, more.get());
      }
      return task.get();
    } catch (ExecutionException e) {
      throw new IOException("what " + name + " prints cannot be read: " + e.getCause(), e);
    } catch (InterruptedException e) {
      killAll(process); // and with it the reader ends
      throw interrupted(name);
    }
  }

  /** Waits for the end of a command that prints nothing here, for ten minutes. */
  public static int statusOf(Process process, String name) throws IOException {
    return statusOf(process, name, COMMAND_MAX);
  }

  /**
   * Waits for the end of a process that prints nothing here.
   *
   * @return its status
   * @throws IOException if it does not end in time
   */
  public static int statusOf(Process process, String name, Duration max) throws IOException {
    try {
      if (process.waitFor(max.toNanos(), TimeUnit.NANOSECONDS)) {
        return process.exitValue();
      }
    } catch (InterruptedException e) {
      killAll(process);
      throw interrupted(name);
    }
    killAll(process);
    throw late(name, max, "");
  }

  /**
   * SIGKILL; returns when the process has ended.
   *
   * @throws java.util.concurrent.CompletionException if it has not within a minute, as while a
   *     device does not answer it
   */
  public static void kill(Process process) {
    process.destroyForcibly().onExit().orTimeout(KILL_MAX.toSeconds(), TimeUnit.SECONDS).join();
  }

  private static void killAll(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private static IOException late(String name, Duration max, String more) {
    return new IOException(
        name + " has not ended in " + max.toSeconds() + " s, and was killed" + more);
  }

  private static IOException interrupted(String name) {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted while " + name + " was waited for");
  }
}
