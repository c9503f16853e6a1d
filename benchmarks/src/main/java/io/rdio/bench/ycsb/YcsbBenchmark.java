// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.ycsb;

import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.ycsb.YcsbOptions.Distribution;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** One run of {@code bench ycsb}: at each point the ways in turn. */
final class YcsbBenchmark {
  /** Where the ways are compared. */
  record Point(Distribution distribution, int threads) {
    @Override
    public String toString() {
      return distribution + ", " + threads + (threads == 1 ? " thread" : " threads");
    }
  }

  private YcsbBenchmark() {}

  /** Measures; takes a few minutes. */
  static Passes<Point> run(YcsbOptions options, ClusterOptions where, PrintStream progress)
      throws IOException {
    long bytes = options.files() * options.fileBytes();
    Passes<Point> passes = new Passes<>();
    try (BenchCluster cluster = BenchCluster.start(where, bytes, progress)) {
      List<String> files = cluster.write("/bench/item-", options.files(), options.fileBytes());
      cluster.setDataCacheBytes(options.dataCacheBytes());
      List<Way> ways = options.ways();
      List<Way> backwards = new ArrayList<>(ways);
      Collections.reverse(backwards);
      for (Way way : ways) {
        cluster.startClient(way, files);
        cluster.verify(way, files);
      }
      Point first = new Point(options.distributions().get(0), options.threads().get(0));
      for (Way way : ways) {
        progress.printf("%s: warming up...%n", way.label());
        cluster.measure(way, task(options, first, files, 0));
      }
      for (Distribution distribution : options.distributions()) {
        for (int threads : options.threads()) {
          Point point = new Point(distribution, threads);
          progress.println(point + "...");
          for (int round = 1; round <= options.rounds(); round++) {
            for (Way way : round % 2 != 0 ? ways : backwards) {
              cluster.prepareCaches();
              passes.add(point, cluster.measure(way, task(options, point, files, round)));
            }
          }
        }
      }
    }
    return passes;
  }

  /** The same reads, as far as time allows, for all ways of a round. */
  private static Task task(YcsbOptions options, Point point, List<String> files, int round) {
    return new Task(
        Task.Kind.POSITIONAL,
        files,
        point.threads(),
        options.sizes(),
        point.distribution().exponent,
        options.seconds(),
        10_000L * round);
  }
}
