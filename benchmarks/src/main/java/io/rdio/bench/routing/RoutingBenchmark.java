// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.routing;

import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One run of {@code bench routing}: positional reads while the device is quiet, and while others
 * keep it busy; by stock HDFS, by RDIO, and by RDIO with routing, in turn.
 */
final class RoutingBenchmark {
  static final List<Way> WAYS = List.of(Way.STOCK, Way.RDIO, Way.ROUTED);
  static final int LOAD_BYTES = 1 << 20;

  /** So that the load outlasts what is measured. */
  private static final double LOAD_SECONDS_MORE = 0.5;

  /** What is measured. */
  record Point(int bytes, boolean busy) {
    @Override
    public String toString() {
      return Sizes.label(bytes) + (busy ? ", device busy" : ", device quiet");
    }
  }

  private final RoutingOptions options;
  private final BenchCluster cluster;
  private final List<String> files;
  private final List<String> loadFiles;
  private final Passes<Point> passes = new Passes<>();

  private RoutingBenchmark(RoutingOptions options, BenchCluster cluster) throws IOException {
    this.options = options;
    this.cluster = cluster;
    this.files = cluster.write("/bench/data-", 1, options.bytes());
    this.loadFiles = cluster.write("/bench/load-", 1, options.bytes());
  }

  /** Measures; takes a few minutes. */
  static Passes<Point> run(RoutingOptions options, ClusterOptions where, PrintStream progress)
      throws IOException {
    try (BenchCluster cluster = BenchCluster.start(where, 2 * options.bytes(), progress)) {
      RoutingBenchmark benchmark = new RoutingBenchmark(options, cluster);
      for (Way way : WAYS) {
        cluster.startClient(way, benchmark.files);
        cluster.verify(way, benchmark.files);
      }
      cluster.startLoader(benchmark.loadFiles);
      for (int round = 0; round <= options.rounds(); round++) {
        progress.println(
            round == 0 ? "Warming up..." : "Round " + round + " of " + options.rounds() + "...");
        benchmark.round(round);
      }
      return benchmark.passes;
    }
  }

  private void round(int round) throws IOException {
    for (int size : options.sizes()) {
      for (boolean busy : new boolean[] {false, true}) {
        Point point = new Point(size, busy);
        List<Way> inTurn = new ArrayList<>(WAYS);
        Collections.rotate(inTurn, -round);
        for (Way way : inTurn) {
          cluster.prepareCaches();
          Pass pass = measure(way, point, round);
          if (round > 0) {
            passes.add(point, pass);
          }
        }
      }
    }
  }

  private Pass measure(Way way, Point point, int round) throws IOException {
    Task task = task(files, point.bytes(), options.threads(), options.seconds(), round);
    if (!point.busy()) {
      return cluster.measure(way, task);
    }
    double seconds = options.seconds() + LOAD_SECONDS_MORE;
    Task load = task(loadFiles, LOAD_BYTES, options.loadThreads(), seconds, round);
    return cluster.measureUnderLoad(way, task, load);
  }

  /** The same places for all ways of a round. */
  private static Task task(List<String> files, int bytes, int threads, double seconds, int round) {
    return new Task(
        Task.Kind.POSITIONAL, files, threads, List.of(bytes), 0, seconds, 1000L * round);
  }
}
