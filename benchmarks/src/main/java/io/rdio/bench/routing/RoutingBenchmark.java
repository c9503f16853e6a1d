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

/**
 * Positional reads while the device is quiet, and while others keep it busy; by stock HDFS, by
 * RDIO, and by RDIO with routing, in turn.
 *
 * @param fileBytes of the file that is read, and of the one that the load reads
 * @param sizes of positional reads
 * @param threads that read
 * @param loadThreads that keep the device busy, with reads of 1 MiB
 * @param rounds behind those that warm up; each is quiet once and busy once
 * @param seconds of each pass
 */
record RoutingBenchmark(
    long fileBytes, List<Integer> sizes, int threads, int loadThreads, int rounds, double seconds)
    implements ClusterBenchmark<Point> {
  static final List<Way> WAYS = List.of(Way.STOCK, Way.RDIO, Way.ROUTED);

  private static final int LOAD_BYTES = 1 << 20;

  /** Routing reads by each way only where that is the better one: one round warms up too little. */
  private static final int WARM_UPS = 2;

  /** So that the load outlasts what is measured. */
  private static final double LOAD_SECONDS_MORE = 0.5;

  /** What is measured. */
  record Point(int bytes, boolean busy) {
    @Override
    public String toString() {
      return Sizes.label(bytes) + (busy ? ", device busy" : ", device quiet");
    }
  }

  RoutingBenchmark {
    Checks.requireOneOrMore("--threads", threads);
    Checks.requireOneOrMore("--load-threads", loadThreads);
    Checks.requireOneOrMore("--rounds", rounds);
    Checks.requirePositive("--seconds", seconds);
    if (fileBytes < Collections.max(sizes) || fileBytes < LOAD_BYTES) {
      throw new IllegalArgumentException("--size " + fileBytes + ": less than a read");
    }
  }

  @Override
  public long bytes() {
    return 2 * fileBytes;
  }

  @Override
  public void run(BenchCluster cluster, Passes<Point> passes) throws IOException {
    List<String> files = cluster.write("/bench/data-", 1, fileBytes);
    List<String> loadFiles = cluster.write("/bench/load-", 1, fileBytes);
    cluster.startClients(WAYS, files);
    cluster.startLoader(loadFiles);
    for (int round = 1 - WARM_UPS; round <= rounds; round++) {
      cluster.say(round <= 0 ? "Warming up..." : "Round " + round + " of " + rounds + "...");
      for (int size : sizes) {
        Task task = Task.positional(files, threads, List.of(size), 0, seconds, round);
        Task load = load(loadFiles, round);
        Point quiet = new Point(size, false);
        passes.round(round, quiet, WAYS, way -> cluster.measurePrepared(way, task));
        Point busy = new Point(size, true);
        passes.round(round, busy, WAYS, way -> cluster.measureUnderLoad(way, task, load));
      }
    }
  }

  private Task load(List<String> files, int round) {
    double longer = seconds + LOAD_SECONDS_MORE;
    return Task.positional(files, loadThreads, List.of(LOAD_BYTES), 0, longer, round);
  }

  @Override
  public String describe() {
    return String.format(
        Locale.ROOT,
        "a file of %s, %d threads; busy: %d threads read another file with O_DIRECT, 1 MiB each",
        Sizes.label(fileBytes),
        threads,
        loadThreads);
  }

  @Override
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("file_bytes", fileBytes);
    fields.put("threads", threads);
    fields.put("load_threads", loadThreads);
    fields.put("rounds", rounds);
    fields.put("seconds", seconds);
    return fields;
  }

  @Override
  public Findings findings(Passes<Point> passes, ClusterOptions where) {
    return new RoutingFindings(this, passes).all();
  }
}
