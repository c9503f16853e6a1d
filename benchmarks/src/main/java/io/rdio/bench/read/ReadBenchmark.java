// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Sequential and positional reads, and first bytes. Each way has one client JVM over all rounds, so
 * that no figure has a JVM's start-up in it; the first round, and the comparison of all bytes
 * before it, are not measured.
 *
 * @param threads that read at the same time, each a file of its own in sequential passes
 * @param fileBytes of each of these files
 * @param sizes of positional reads
 * @param rounds that are measured, behind one that is not
 * @param seconds of each pass of positional reads, and of round trips
 * @param firstBytes files whose first byte each pass reads
 * @param warmUp how each client begins, before the rounds
 */
record ReadBenchmark(
    int threads,
    long fileBytes,
    List<Integer> sizes,
    int rounds,
    double seconds,
    int firstBytes,
    WarmUp warmUp)
    implements ClusterBenchmark<Measure> {
  private static final List<Way> WITH_HDFS =
      List.of(Way.STOCK, Way.SHORT_CIRCUIT, Way.RDIO, Way.AGENT);
  private static final List<Way> ALL =
      List.of(Way.STOCK, Way.SHORT_CIRCUIT, Way.RDIO, Way.AGENT, Way.RAW);

  private static final long UNIT = 1L << 20;

  /** Of which RDIO leaves the first read to stock HDFS; content and place do not matter. */
  private static final long SMALL_FILE_BYTES = 128L << 10;

  /**
   * Rounds' worth of files that each way opens before the first bytes that are measured. Stock
   * HDFS's client has run its way to a DataNode for each positional read by then, the others theirs
   * never: with one round to warm up, code not compiled yet is what would be compared.
   */
  private static final int FIRST_BYTE_WARM_UP = 10;

  /**
   * Checks the options.
   *
   * @return this
   * @throws IllegalArgumentException naming option and value
   */
  ReadBenchmark checked() {
    Checks.requireOneOrMore("--rounds", rounds);
    Checks.requireOneOrMore("--files", firstBytes);
    Checks.requirePositive("--seconds", seconds);
    for (int size : sizes) {
      if (size > fileBytes) {
        throw new IllegalArgumentException(
            "--sizes " + size + ": more than the " + fileBytes + " bytes of a thread's file");
      }
    }
    return this;
  }

  /**
   * What each of so many threads reads of all bytes: whole MiB.
   *
   * @throws IllegalArgumentException naming option and value, if that is none
   */
  static long fileBytes(long bytes, int threads) {
    Checks.requireOneOrMore("--threads", threads);
    if (bytes / threads < UNIT) {
      throw new IllegalArgumentException(
          "--size " + bytes + ": less than 1m for each of " + threads + " threads");
    }
    return bytes / threads / UNIT * UNIT;
  }

  @Override
  public long bytes() {
    return threads * fileBytes + smallFiles() * SMALL_FILE_BYTES;
  }

  @Override
  public String verified() {
    return "all files of sequential and positional reads by every way";
  }

  /** Each is opened three times in the whole run, by the client of one way. */
  private int smallFiles() {
    return firstBytes * WITH_HDFS.size() * (rounds + FIRST_BYTE_WARM_UP);
  }

  @Override
  public void run(BenchCluster cluster, Passes<Measure> passes) throws IOException {
    measureStreams(cluster, passes);
    measureFirstBytes(cluster, passes);
  }

  private void measureStreams(BenchCluster cluster, Passes<Measure> passes) throws IOException {
    List<String> files = cluster.write("/bench/stream-", threads, fileBytes);
    cluster.startClients(ALL, files);
    // No byte of a file moves.
    passes.anyWay(Measure.ROUND_TRIP);
    warmUp(cluster, files);
    for (int round = 0; round <= rounds; round++) {
      sayRound(cluster, "sequential and positional reads", round);
      measure(cluster, passes, round, Measure.SEQUENTIAL, Task.sequential(files));
      for (int size : sizes) {
        Task task = Task.positional(files, threads, List.of(size), 0, seconds, round);
        measure(cluster, passes, round, Measure.positional(size), task);
      }
      Task roundTrips = Task.roundTrips(seconds);
      passes.round(
          round, Measure.ROUND_TRIP, List.of(Way.AGENT), way -> cluster.measure(way, roundTrips));
    }
  }

  /**
   * Has each client read for so long that its code is compiled. A stream of 1 MiB at a time makes
   * the ten thousand calls that this takes in five passes only, and a JVM that still compiles has
   * neither the processors nor its CPU seconds for reading.
   */
  private void warmUp(BenchCluster cluster, List<String> files) throws IOException {
    cluster.say("Warming up by streams and positional reads...");
    for (Way way : ALL) {
      long end = System.nanoTime() + warmUp.ofStreams().toNanos();
      while (System.nanoTime() < end) {
        cluster.measure(way, Task.sequential(files));
      }
      for (int size : sizes) {
        cluster.measure(
            way, Task.positional(files, threads, List.of(size), 0, warmUp.positionalSeconds(), 0));
      }
    }
  }

  private static void measure(
      BenchCluster cluster, Passes<Measure> passes, int round, Measure what, Task task)
      throws IOException {
    passes.round(round, what, ALL, way -> cluster.measurePrepared(way, task));
  }

  private void measureFirstBytes(BenchCluster cluster, Passes<Measure> passes) throws IOException {
    // Stock HDFS serves them while RDIO gets its map: either is right.
    passes.anyWay(Measure.FIRST_BYTE);
    passes.anyWay(Measure.SECOND_TIME);
    passes.anyWay(Measure.THIRD_TIME);
    Iterator<String> unread =
        cluster.write("/bench/small-", smallFiles(), SMALL_FILE_BYTES).iterator();
    // Once is enough: the device is asked for a page or two of each.
    cluster.prepareCaches();
    for (int round = 0; round <= rounds; round++) {
      sayRound(cluster, "first bytes", round);
      int count = round == 0 ? FIRST_BYTE_WARM_UP * firstBytes : firstBytes;
      Map<Way, List<String>> opened = new EnumMap<>(Way.class);
      for (Way way : WITH_HDFS) {
        opened.put(way, Stream.generate(unread::next).limit(count).toList());
      }
      Passes.Measurement open =
          way -> cluster.measure(way, Task.firstByte(opened.getOrDefault(way, List.of())));
      passes.round(round, Measure.FIRST_BYTE, WITH_HDFS, open);
      passes.round(round, Measure.SECOND_TIME, WITH_HDFS, open);
      passes.round(round, Measure.THIRD_TIME, WITH_HDFS, open);
    }
  }

  private void sayRound(BenchCluster cluster, String what, int round) {
    cluster.say(
        round == 0
            ? "Warming up by a round of " + what + "..."
            : "Round " + round + " of " + rounds + ": " + what + "...");
  }

  @Override
  public String describe() {
    String all = Sizes.label(threads * fileBytes);
    return threads + (threads == 1 ? " thread, " : " threads, ") + all + " of files";
  }

  @Override
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("threads", threads);
    fields.put("file_bytes", fileBytes);
    fields.put("rounds", rounds);
    fields.put("seconds", seconds);
    fields.put("first_byte_files", firstBytes);
    fields.put("warm_up_seconds", warmUp.seconds());
    return fields;
  }

  @Override
  public Findings findings(Passes<Measure> passes, ClusterOptions where) {
    return new ReadFindings(rounds, warmUp, passes, Targets.of(passes, where.onTmpfs())).all();
  }
}
