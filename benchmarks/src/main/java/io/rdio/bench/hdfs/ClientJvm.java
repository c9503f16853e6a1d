// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.ClientMain;
import io.rdio.bench.client.Task;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessLines;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A {@link ClientMain} in a JVM of its own, which goes with the cluster. Each word of it is waited
 * for no longer than {@link Task#patience}; when one did not come nothing more is asked, for if it
 * came late it would be taken for the next one. For one thread.
 */
public final class ClientJvm {
  /** Heap of a client that has the machine to itself. */
  private static final String HEAP = "-Xmx1g";

  private static final String JVM_OPTIONS = "JAVA_TOOL_OPTIONS";
  private static final int LOG_LINES = 25;
  private static final long END_SECONDS = 60;

  private final String name;
  private final Path log;
  private final Process process;
  private final Writer tasks;
  private final ProcessLines answers;
  private final Duration once;

  /** The task that was sent last, for people, and how long a word on it may take. */
  private String asked = "no task";

  private Duration patience = Duration.ZERO;

  /** Whether it may yet say what was waited for in vain. */
  private boolean owes;

  /**
   * @param log of its standard error
   * @param once as in {@link Task#patience}
   */
  ClientJvm(String name, Path log, Process process, Duration once) {
    this.name = name;
    this.log = log;
    this.process = process;
    this.tasks = process.outputWriter(UTF_8);
    this.answers = ProcessLines.of(process, "the client of " + name, log);
    this.once = once;
  }

  /**
   * Starts one.
   *
   * @param name of the way of reading
   * @param arguments of {@link ClientMain}
   */
  public static ClientJvm start(Cluster cluster, String name, Path conf, String... arguments)
      throws IOException {
    return startWith(List.of(), cluster, name, conf, arguments);
  }

  /**
   * {@link #start} on another Java.
   *
   * @param home of the Java, which has bin/java
   */
  public static ClientJvm startOn(
      Path home, Cluster cluster, String name, Path conf, String... arguments) throws IOException {
    return start(home, List.of(), cluster, name, conf, arguments);
  }

  /** {@link #start} with more options of its JVM, such as another heap. */
  static ClientJvm startWith(
      List<String> more, Cluster cluster, String name, Path conf, String... arguments)
      throws IOException {
    return start(Path.of(System.getProperty("java.home")), more, cluster, name, conf, arguments);
  }

  private static ClientJvm start(
      Path home, List<String> more, Cluster cluster, String name, Path conf, String... arguments)
      throws IOException {
    List<String> options = new ArrayList<>(List.of(HEAP, "-Drdio.log.level=WARN"));
    options.addAll(more);
    String[] command = new String[arguments.length + 1];
    command[0] = ClientMain.class.getName();
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    Path log = cluster.folder().resolve("client-" + name + ".log");
    ProcessBuilder jvm = cluster.jvm(conf, options, command).redirectError(log.toFile());
    jvm.command().set(0, home.resolve("bin/java").toString());
    handOnOptions(System.getenv(), jvm);
    Process process = jvm.start();
    cluster.killLater(process);
    return new ClientJvm(name, log, process, Patience.of(cluster));
  }

  /** A client has the options that the user set for JVMs, which a cluster keeps from its own. */
  static void handOnOptions(Map<String, String> environment, ProcessBuilder client) {
    String options = environment.get(JVM_OPTIONS);
    if (options != null) {
      client.environment().put(JVM_OPTIONS, options);
    }
  }

  /**
   * Has a task done.
   *
   * @throws IOException if the client failed at it, or says nothing within the task's patience; the
   *     end of its log is in the message. Also if it did so before
   */
  public Answer ask(Task task) throws IOException {
    send(task);
    return answer();
  }

  /** Sends the client a task. */
  void send(Task task) throws IOException {
    if (owes) {
      throw new IOException("the client of " + name + " is asked no more, as it owes " + asked);
    }
    asked = task.kind() + " of " + task.files().size() + " files";
    patience = task.patience(once);
    send(task.toLine());
  }

  /**
   * Has the client begin a task that it is ready for.
   *
   * @param millis since 1970
   */
  void begin(long millis) throws IOException {
    send(Long.toString(millis));
  }

  private void send(String line) throws IOException {
    try {
      tasks.write(line + "\n");
      tasks.flush();
    } catch (IOException e) {
      throw ended(e);
    }
  }

  /** Waits until the client has the files of a task open that is {@link Task#told}. */
  void awaitReady() throws IOException {
    String line = word("'" + ClientMain.READY + "' for " + asked);
    if (!line.equals(ClientMain.READY)) {
      throw new IOException("the client of " + name + " is not ready but says: " + line);
    }
  }

  /** Waits for what came of the task that was sent last. */
  Answer answer() throws IOException {
    return Answer.ofLine(word("what came of " + asked));
  }

  private String word(String what) throws IOException {
    boolean said = false;
    try {
      String line = answers.next(what, patience);
      said = true;
      return line;
    } finally {
      owes = !said;
    }
  }

  private IOException ended(IOException cause) throws IOException {
    return new IOException("the client of " + name + " ended:\n" + endOfLog(), cause);
  }

  /** Its process. */
  public long pid() {
    return process.pid();
  }

  /**
   * Has it end by itself, where the cluster would kill it: so it writes what it has recorded.
   *
   * @throws IOException if it has not ended within a minute, or otherwise than by itself: then it
   *     may have written nothing
   */
  void end() throws IOException {
    tasks.close();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(
            "the client of " + name + " has not ended in " + END_SECONDS + " s without tasks");
      }
      if (process.exitValue() != 0) {
        throw new IOException(
            "the client of "
                + name
                + " ended with exit status "
                + process.exitValue()
                + ", so what it recorded may be missing:\n"
                + endOfLog());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the client of " + name + " ended");
    }
  }

  /** Most memory of it that was resident so far, in bytes. */
  long peakBytes() {
    return PeakMemory.of(process.pid());
  }

  private String endOfLog() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
  }
}
