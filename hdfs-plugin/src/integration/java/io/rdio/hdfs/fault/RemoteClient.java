// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.core.testing.Patience.await;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Command;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.ProcessLines;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** The test's end of a {@link RemoteClientMain}: an HDFS client in a JVM of its own. */
final class RemoteClient implements Closeable {
  static final String MARK = "REMOTE ";

  /** For whatever is done to the cluster while a command is held up. */
  private static final Duration ANSWER_MAX = Duration.ofMinutes(10);

  private static final Path LOG = Path.of("target", "remote-client.err");

  private final Process process;
  private final ProcessLines replies;

  private RemoteClient(Process process) {
    this.process = process;
    this.replies = ProcessLines.of(process, "the client", LOG);
  }

  /** A client of this cluster that reads by RDIO and stops at the cluster's {@link Steps}. */
  static RemoteClient start(Cluster cluster) throws IOException {
    ProcessBuilder builder =
        cluster.jvm(
            cluster.confFolder(true), List.of("-Xmx256m"), RemoteClientMain.class.getName());
    Process process =
        builder.redirectError(LOG.toFile()).redirectOutput(ProcessBuilder.Redirect.PIPE).start();
    cluster.killLater(process);
    return new RemoteClient(process);
  }

  /** Opens the file that later reads are of. */
  void open(String path) throws IOException {
    ask("open " + path);
  }

  /**
   * Reads all of a range in its own time.
   *
   * @return the bytes; failed with an IOException where the client's read failed
   */
  CompletableFuture<byte[]> read(long offset, int length) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return HexFormat.of().parseHex(ask("read " + offset + " " + length));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Bytes that came by RDIO so far, and reasons with their counts. */
  String counts() throws IOException {
    return ask("counts");
  }

  /** SIGSTOP; returns when no thread of it runs any more, which on a busy machine takes a while. */
  void pause() throws IOException {
    Command.run("kill", "-STOP", Long.toString(process.pid()));
    await("all threads stop")
        .ignoreExceptionsInstanceOf(IOException.class) // one that ended while it was looked at
        .until(this::isStopped);
  }

  private boolean isStopped() throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
      for (Path thread : threads.toList()) {
        // "tid (name) state ...", and the name may have any character.
        String stat = Files.readString(thread.resolve("stat"));
        if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
          return false;
        }
      }
      return true;
    }
  }

  /** SIGCONT. */
  void resume() throws IOException {
    Command.run("kill", "-CONT", Long.toString(process.pid()));
  }

  @Override
  public void close() throws IOException {
    ProcessEnd.kill(process);
  }

  private synchronized String ask(String command) throws IOException {
    process.outputWriter(UTF_8).append(command).append('\n').flush();
    String line;
    do {
      line = replies.next("its answer to: " + command, ANSWER_MAX);
    } while (!line.startsWith(MARK));
    if (line.startsWith(MARK + "failed ")) {
      throw new IOException(line);
    }
    return line.substring(MARK.length());
  }

  /** What {@link #counts} gives. */
  static String countsOfThisJvm() {
    ClientCounters counters = RdioClientContext.counters();
    List<String> words = new ArrayList<>();
    words.add("rdioBytes=" + counters.rdioBytes.sum());
    words.add("agentBytes=" + counters.agentBytes.sum());
    words.add("staleMaps=" + counters.staleMaps.sum());
    Arrays.stream(FallbackReason.values())
        .filter(reason -> counters.fallbacks(reason) > 0)
        .forEach(reason -> words.add(reason + "=" + counters.fallbacks(reason)));
    return String.join(" ", words);
  }
}
