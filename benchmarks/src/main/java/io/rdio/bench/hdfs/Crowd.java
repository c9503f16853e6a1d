// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import io.rdio.bench.client.Task;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * Client JVMs of {@link Way#AGENT} that live side by side and do the same kind of task. For one
 * thread.
 */
public final class Crowd {
  /** Memory to have for each: its heap, its classes and its code. */
  public static final long BYTES_EACH = 180L << 20;

  /** Of a pass that is not measured, so that whoever reads in it is warm behind it. */
  public static final double WARM_UP_SECONDS = 5;

  /** By then the compiler has got to what a read runs through. */
  public static final long WARM_READS = 10_000;

  /** So that many of them fit into the memory of one machine. */
  private static final String HEAP = "-Xmx96m";

  /**
   * A read at a time needs no more, and the agent has a bound for each user, whose processes these
   * all are.
   */
  private static final String SEGMENT = "1m";

  /** From when all are ready to their common start: longer than it takes to tell all of them. */
  private static final long START_MILLIS = 500;

  private static final int WARM_UPS_MAX = 20;

  private final BenchCluster bench;
  private final List<ClientJvm> clients = new ArrayList<>();

  private Crowd(BenchCluster bench) {
    this.bench = bench;
  }

  static Crowd start(BenchCluster bench, Cluster cluster, int count, String buffer)
      throws IOException {
    Map<String, String> keys = new TreeMap<>(FreshJvms.agentKey("required"));
    keys.put(RdioConfigKeys.CLIENT_AGENT_MEMORY.name(), SEGMENT);
    Path conf = cluster.addConfFolder("conf-crowd", true, keys);
    Crowd crowd = new Crowd(bench);
    for (int i = 0; i < count; i++) {
      crowd.clients.add(
          ClientJvm.startWith(List.of(HEAP), cluster, "crowd-" + i, conf, "hdfs", buffer));
    }
    return crowd;
  }

  /**
   * Has all of them read at random places until each has made {@link #WARM_READS}; for 100 seconds
   * at most, and what they take to open the files.
   *
   * @return reads made by the one that made fewest
   */
  public long warmUp(List<String> files, int bytes) throws IOException {
    long[] reads = new long[clients.size()];
    long least = 0;
    for (int pass = 0; pass < WARM_UPS_MAX && least < WARM_READS; pass++) {
      List<Answer> answers = read(files, bytes, WARM_UP_SECONDS, pass);
      least = Long.MAX_VALUE;
      for (int i = 0; i < reads.length; i++) {
        reads[i] += answers.get(i).totals().reads();
        least = Math.min(least, reads[i]);
      }
    }
    return least;
  }

  /**
   * Has all of them read at random places of the files, each at others, with the meters around
   * them.
   *
   * @param seconds from their common start on, when all have the files open
   */
  public Pass measure(List<String> files, int bytes, double seconds, int round) throws IOException {
    bench.prepareCaches();
    return bench.measure(Way.AGENT, () -> together(read(files, bytes, seconds, round)));
  }

  private List<Answer> read(List<String> files, int bytes, double seconds, int round)
      throws IOException {
    for (int i = 0; i < clients.size(); i++) {
      int places = round * clients.size() + i;
      Task task = Task.positional(files, 1, List.of(bytes), 0, seconds, places);
      clients.get(i).send(task.whenTold());
    }
    for (ClientJvm client : clients) {
      client.awaitReady();
    }
    long start = System.currentTimeMillis() + START_MILLIS;
    for (ClientJvm client : clients) {
      client.begin(start);
    }
    List<Answer> answers = new ArrayList<>();
    for (ClientJvm client : clients) {
      answers.add(client.answer());
    }
    return answers;
  }

  /** What processes that began together did; it took as long as the slowest of them did. */
  static Answer together(List<Answer> answers) {
    Map<String, Long> fallbacks = new TreeMap<>();
    for (Answer answer : answers) {
      answer.counters().fallbacks().forEach((reason, n) -> fallbacks.merge(reason, n, Long::sum));
    }
    Totals totals =
        new Totals(
            sum(answers, answer -> answer.totals().bytes()),
            sum(answers, answer -> answer.totals().reads()),
            answers.stream().mapToDouble(answer -> answer.totals().seconds()).max().orElse(0),
            answers.stream().mapToDouble(answer -> answer.totals().cpuSeconds()).sum(),
            answers.stream().mapToDouble(answer -> answer.totals().threadCpuSeconds()).sum());
    Counters counters =
        new Counters(
            sum(answers, answer -> answer.counters().rdioBytes()),
            sum(answers, answer -> answer.counters().shortCircuitBytes()),
            0,
            0,
            0,
            0,
            fallbacks);
    return Answer.of(totals, counters);
  }

  private static long sum(List<Answer> answers, ToLongFunction<Answer> figure) {
    return answers.stream().mapToLong(figure).sum();
  }

  /** Most memory that one of them had resident so far, in bytes. */
  public long peakBytes() {
    return clients.stream().mapToLong(ClientJvm::peakBytes).max().orElse(0);
  }
}
