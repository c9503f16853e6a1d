// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.records;

import io.rdio.bench.client.Mix;
import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.records.RecordsBenchmark.Point;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Operations on records by many threads: at each point the ways in turn. What a pass has written is
 * deleted behind it, so that each begins with the same records.
 *
 * @param mixes workloads
 * @param records at first
 * @param recordBytes of each
 * @param exponent of Zipf's law; 0 for uniform
 * @param threads a point of the curve each
 * @param rounds at each point, behind one warm-up of each way
 * @param seconds of each pass
 */
record RecordsBenchmark(
    List<Mix> mixes,
    int records,
    int recordBytes,
    double exponent,
    List<Integer> threads,
    int rounds,
    double seconds)
    implements ClusterBenchmark<Point> {
  static final List<Way> WITH_HDFS = List.of(Way.STOCK, Way.RDIO);
  static final List<Way> ALL = List.of(Way.STOCK, Way.RDIO, Way.RAW);

  private static final int THREADS_MAX = 1024;

  /** A guess, for what passes write: deleted blocks stay, those that are leased for two minutes. */
  private static final int WRITES_PER_SECOND = 1500;

  private static final long WRITTEN_BYTES_MIN = 512L << 20;
  private static final long WRITTEN_BYTES_MAX = 4L << 30;

  private static final int WARM_UP_THREADS = 4;

  /** Where the ways are compared. */
  record Point(Mix mix, int threads) {
    @Override
    public String toString() {
      return "workload " + mix + ", " + threads + (threads == 1 ? " thread" : " threads");
    }
  }

  RecordsBenchmark {
    mixes = List.copyOf(mixes);
    threads = List.copyOf(threads);
    Checks.requireOneOrMore("--records", records);
    Checks.requireOneOrMore("--rounds", rounds);
    Checks.requirePositive("--seconds", seconds);
    if (!(exponent >= 0)) {
      throw new IllegalArgumentException("--exponent " + exponent + ": must not be negative");
    }
    for (int count : threads) {
      Checks.requireOneOrMore("--threads", count);
      if (count > THREADS_MAX) {
        throw new IllegalArgumentException("--threads " + count + ": at most " + THREADS_MAX);
      }
    }
  }

  /** What is compared: from the raw device nothing can be written. */
  static List<Way> ways(Mix mix) {
    return mix.readsOnly() ? ALL : WITH_HDFS;
  }

  @Override
  public long bytes() {
    double passes = (double) mixes.size() * threads.size() * rounds * WITH_HDFS.size();
    double written = passes * seconds * WRITES_PER_SECOND * recordBytes;
    return (long) records * recordBytes
        + (long) Math.max(WRITTEN_BYTES_MIN, Math.min(written, WRITTEN_BYTES_MAX));
  }

  @Override
  public String verified() {
    return "all records that are there at first, by every way";
  }

  @Override
  public void run(BenchCluster cluster, Passes<Point> passes) throws IOException {
    List<String> names = cluster.write("/records/r-", records, recordBytes);
    // Maps are waited for, of records that were just written, too.
    cluster.addRdioKeys(Map.of(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), "0"));
    cluster.startClients(ALL, names);
    // Only once: later on files go while they are looked for, and warm is what records are.
    cluster.prepareCaches();
    for (Mix mix : mixes) {
      cluster.say("Warming up by workload " + mix + "...");
      Task warmUp = Task.records(names, recordBytes, mix, WARM_UP_THREADS, exponent, seconds, 0);
      for (Way way : ways(mix)) {
        cluster.measure(way, warmUp);
      }
      for (int count : threads) {
        measure(cluster, passes, new Point(mix, count), names);
      }
    }
  }

  private void measure(BenchCluster cluster, Passes<Point> passes, Point point, List<String> names)
      throws IOException {
    cluster.say(point + "...");
    if (!point.mix().readsOnly()) {
      passes.anyWay(point); // What has just been written may be stock HDFS's.
    }
    for (int round = 1; round <= rounds; round++) {
      Task task =
          Task.records(names, recordBytes, point.mix(), point.threads(), exponent, seconds, round);
      passes.round(round, point, ways(point.mix()), way -> cluster.measure(way, task));
    }
  }

  @Override
  public String describe() {
    return String.format(
        Locale.ROOT,
        "%d records of %s, %s; the page cache is not dropped again",
        records,
        Sizes.label(recordBytes),
        exponent == 0 ? "chosen uniformly" : "chosen by Zipf's law, exponent " + exponent);
  }

  @Override
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("records", records);
    fields.put("record_bytes", recordBytes);
    fields.put("exponent", exponent);
    fields.put("rounds", rounds);
    fields.put("seconds", seconds);
    return fields;
  }

  @Override
  public Findings findings(Passes<Point> passes, ClusterOptions where) {
    return new RecordsFindings(rounds, passes).all();
  }
}
