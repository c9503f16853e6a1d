// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Task;
import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToLongFunction;

/** Client JVMs of one way that live side by side and do the same kind of task. For one thread. */
public final class Crowd {
  /** So that many of them fit into the memory of one machine. */
  private static final String HEAP = "-Xmx96m";

  private static final double NANOS = 1e9;

  private final List<ClientJvm> clients;

  private Crowd(List<ClientJvm> clients) {
    this.clients = clients;
  }

  static Crowd start(Cluster cluster, Path conf, int count, String buffer) throws IOException {
    List<ClientJvm> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      clients.add(ClientJvm.startWithHeap(HEAP, cluster, "crowd-" + i, conf, "hdfs", buffer));
    }
    return new Crowd(clients);
  }

  /** Has all of them read at random places of the files, each at others, for so many seconds. */
  Answer positional(List<String> files, int bytes, double seconds, int round) throws IOException {
    ExecutorService pool = Executors.newFixedThreadPool(clients.size());
    try {
      long begun = System.nanoTime();
      List<Future<Answer>> asked = new ArrayList<>();
      for (int i = 0; i < clients.size(); i++) {
        ClientJvm client = clients.get(i);
        int places = round * clients.size() + i;
        Task task = Task.positional(files, 1, List.of(bytes), 0, seconds, places);
        asked.add(pool.submit(() -> client.ask(task)));
      }
      List<Answer> answers = new ArrayList<>();
      for (Future<Answer> answer : asked) {
        answers.add(answer.get());
      }
      return together(answers, (System.nanoTime() - begun) / NANOS);
    } catch (ExecutionException e) {
      throw new IOException("one of " + clients.size() + " clients failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while clients read");
    } finally {
      pool.shutdownNow();
    }
  }

  private static Answer together(List<Answer> answers, double seconds) {
    return new Answer(
        sum(answers, Answer::bytes),
        sum(answers, Answer::reads),
        seconds,
        answers.stream().mapToDouble(Answer::cpuSeconds).sum(),
        sum(answers, Answer::rdioBytes),
        sum(answers, Answer::shortCircuitBytes),
        0,
        0,
        Map.of(),
        "",
        List.of());
  }

  private static long sum(List<Answer> answers, ToLongFunction<Answer> figure) {
    return answers.stream().mapToLong(figure).sum();
  }

  /** Most memory that one of them had resident so far, in bytes. */
  public long peakBytes() {
    return clients.stream().mapToLong(ClientJvm::peakBytes).max().orElse(0);
  }
}
