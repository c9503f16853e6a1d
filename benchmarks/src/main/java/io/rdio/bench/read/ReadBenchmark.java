// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One run of {@code bench read}. Each way has one client JVM over all rounds, so that no figure has
 * a JVM's start-up in it; the first round, and the comparison of all bytes before it, are not
 * measured.
 */
final class ReadBenchmark {
  private static final List<Way> WITH_HDFS = List.of(Way.STOCK, Way.SHORT_CIRCUIT, Way.RDIO);
  private static final List<Way> ALL = List.of(Way.STOCK, Way.SHORT_CIRCUIT, Way.RDIO, Way.RAW);

  /**
   * Rounds' worth of files that each way opens before the first bytes that are measured. Stock
   * HDFS's client has run its way to a DataNode for each positional read by then, the others theirs
   * never: with one round to warm up, code not compiled yet is what would be compared.
   */
  private static final int FIRST_BYTE_WARM_UP = 10;

  private final ReadOptions options;
  private final BenchCluster cluster;
  private final PrintStream progress;
  private final Passes<Measure> passes = new Passes<>();

  private ReadBenchmark(ReadOptions options, BenchCluster cluster, PrintStream progress) {
    this.options = options;
    this.cluster = cluster;
    this.progress = progress;
  }

  /** Measures; takes a few minutes. */
  static Passes<Measure> run(ReadOptions options, ClusterOptions where, PrintStream progress)
      throws IOException {
    long smallBytes = smallFiles(options) * ReadOptions.SMALL_FILE_BYTES;
    long bytes = options.threads() * options.fileBytes() + smallBytes;
    try (BenchCluster cluster = BenchCluster.start(where, bytes, progress)) {
      ReadBenchmark benchmark = new ReadBenchmark(options, cluster, progress);
      // Stock HDFS serves them while RDIO gets its map: either is right.
      benchmark.passes.anyWay(Measure.FIRST_BYTE);
      benchmark.measureStreams();
      benchmark.measureFirstBytes();
      return benchmark.passes;
    }
  }

  /** Each is opened once in the whole run. */
  private static int smallFiles(ReadOptions options) {
    return options.firstBytes() * WITH_HDFS.size() * (options.rounds() + FIRST_BYTE_WARM_UP);
  }

  private void measureStreams() throws IOException {
    List<String> files = cluster.write("/bench/stream-", options.threads(), options.fileBytes());
    for (Way way : ALL) {
      cluster.startClient(way, files);
      cluster.prepareCaches();
      cluster.verify(way, files);
    }
    for (int round = 0; round <= options.rounds(); round++) {
      sayRound("sequential and positional reads", round);
      for (Way way : inTurn(ALL, round)) {
        measure(round, Measure.SEQUENTIAL, way, Task.sequential(files));
      }
      for (int size : options.sizes()) {
        Task task = positional(files, size, round);
        for (Way way : inTurn(ALL, round)) {
          measure(round, Measure.positional(size), way, task);
        }
      }
    }
  }

  /** The same places for all ways of a round. */
  private Task positional(List<String> files, int size, int round) {
    return new Task(
        Task.Kind.POSITIONAL,
        files,
        options.threads(),
        List.of(size),
        0,
        options.seconds(),
        1000L * round);
  }

  private void measure(int round, Measure what, Way way, Task task) throws IOException {
    cluster.prepareCaches();
    add(round, what, way, task);
  }

  private void measureFirstBytes() throws IOException {
    List<String> files =
        cluster.write("/bench/small-", smallFiles(options), ReadOptions.SMALL_FILE_BYTES);
    // Once is enough: no file is read a second time.
    cluster.prepareCaches();
    int next = 0;
    int count = FIRST_BYTE_WARM_UP * options.firstBytes();
    for (int round = 0; round <= options.rounds(); round++) {
      sayRound("first bytes", round);
      for (Way way : inTurn(WITH_HDFS, round)) {
        List<String> own = files.subList(next, next + count);
        add(round, Measure.FIRST_BYTE, way, Task.firstByte(own));
        next += count;
      }
      count = options.firstBytes();
    }
  }

  private void add(int round, Measure what, Way way, Task task) throws IOException {
    var pass = cluster.measure(way, task);
    if (round > 0) {
      passes.add(what, pass);
    }
  }

  /** Another way begins each round, so that none always comes behind the same one. */
  private static List<Way> inTurn(List<Way> ways, int round) {
    List<Way> turned = new ArrayList<>(ways);
    Collections.rotate(turned, -round);
    return turned;
  }

  private void sayRound(String what, int round) {
    progress.println(
        round == 0
            ? "Warming up by a round of " + what + "..."
            : "Round " + round + " of " + options.rounds() + ": " + what + "...");
  }
}
