// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.routing;

import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.routing.RoutingBenchmark.Point;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Reads while the device is quiet, and while others keep it busy; by stock HDFS, by RDIO, and by
 * RDIO with routing, in turn.
 *
 * @param fileBytes of what is read, all together, and of what the load reads
 * @param sizes of reads
 * @param threads that read, a point for each number of them
 * @param loadThreads that keep the device busy, with reads of 1 MiB
 * @param rounds behind those that warm up; each is quiet once and busy once
 * @param seconds of each pass
 * @param routing value of dfs.client.rdio.routing
 * @param stream whether files are read from start to end, and not by position
 */
record RoutingBenchmark(
    long fileBytes,
    List<Integer> sizes,
    List<Integer> threads,
    int loadThreads,
    int rounds,
    double seconds,
    String routing,
    boolean stream)
    implements ClusterBenchmark<Point> {
  static final List<Way> WAYS = List.of(Way.STOCK, Way.RDIO, Way.ROUTED);

  private static final List<String> ROUTINGS = List.of("true", "adaptive");
  private static final int LOAD_BYTES = 1 << 20;

  /** Routing reads by each way only where that is the better one: one round warms up too little. */
  private static final int WARM_UPS = 2;

  /** So that the load outlasts what is measured. */
  private static final double LOAD_SECONDS_MORE = 0.5;

  /** What is measured, of one size of reads by so many threads. */
  record Point(int bytes, int threads, boolean busy) {
    /** Without the phase. */
    String reads() {
      return Sizes.label(bytes) + (threads == 1 ? "" : ", " + threads + " threads");
    }

    @Override
    public String toString() {
      return reads() + (busy ? ", device busy" : ", device quiet");
    }
  }

  RoutingBenchmark {
    sizes = List.copyOf(sizes);
    threads = List.copyOf(threads);
    threads.forEach(count -> Checks.requireOneOrMore("--threads", count));
    Checks.requireOneOrMore("--load-threads", loadThreads);
    Checks.requireOneOrMore("--rounds", rounds);
    Checks.requirePositive("--seconds", seconds);
    if (!ROUTINGS.contains(routing)) {
      throw new IllegalArgumentException(
          "--routing " + routing + ": take " + String.join(" or ", ROUTINGS));
    }
    int files = stream ? Collections.max(threads) : 1;
    if (fileBytes / files < Collections.max(sizes) || fileBytes < LOAD_BYTES) {
      throw new IllegalArgumentException(
          "--size "
              + fileBytes
              + ": less than a read"
              + (stream ? " for each of " + files + " threads" : ""));
    }
  }

  /** The largest number of threads. */
  int mostThreads() {
    return Collections.max(threads);
  }

  @Override
  public long bytes() {
    return 2 * fileBytes;
  }

  @Override
  public void run(BenchCluster cluster, Passes<Point> passes) throws IOException {
    int count = stream ? mostThreads() : 1;
    List<String> files = cluster.write("/bench/data-", count, fileBytes / count);
    List<String> loadFiles = cluster.write("/bench/load-", 1, fileBytes);
    cluster.setRouting(routing);
    cluster.startClients(WAYS, files);
    cluster.startLoader(loadFiles);
    for (int round = 1 - WARM_UPS; round <= rounds; round++) {
      cluster.say(round <= 0 ? "Warming up..." : "Round " + round + " of " + rounds + "...");
      Task load = load(loadFiles, round);
      for (int size : sizes) {
        for (int readers : threads) {
          Task task = task(files, readers, size, round);
          Point quiet = new Point(size, readers, false);
          passes.round(round, quiet, WAYS, way -> cluster.measurePrepared(way, task));
          Point busy = new Point(size, readers, true);
          passes.round(round, busy, WAYS, way -> cluster.measureUnderLoad(way, task, load));
        }
      }
    }
  }

  private Task task(List<String> files, int readers, int size, int round) {
    return stream
        ? Task.stream(files, readers, size, seconds)
        : Task.positional(files, readers, List.of(size), 0, seconds, round);
  }

  private Task load(List<String> files, int round) {
    double longer = seconds + LOAD_SECONDS_MORE;
    return Task.positional(files, loadThreads, List.of(LOAD_BYTES), 0, longer, round);
  }

  @Override
  public String describe() {
    String counts = threads.stream().map(String::valueOf).collect(Collectors.joining(", "));
    String files =
        stream && mostThreads() > 1
            ? mostThreads() + " files of " + Sizes.label(fileBytes / mostThreads())
            : "a file of " + Sizes.label(fileBytes);
    return String.format(
        Locale.ROOT,
        "%s, read %s, %s threads, dfs.client.rdio.routing = %s; busy: %d threads read another file"
            + " with O_DIRECT, 1 MiB each",
        files,
        stream ? "from start to end" : "by position",
        counts,
        routing,
        loadThreads);
  }

  @Override
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("file_bytes", fileBytes);
    fields.put("threads", mostThreads());
    fields.put("load_threads", loadThreads);
    fields.put("rounds", rounds);
    fields.put("seconds", seconds);
    fields.put("thread_counts", threads);
    fields.put("routing", routing);
    fields.put("stream", stream);
    return fields;
  }

  @Override
  public Findings findings(Passes<Point> passes, ClusterOptions where) {
    return new RoutingFindings(this, passes).all();
  }
}
