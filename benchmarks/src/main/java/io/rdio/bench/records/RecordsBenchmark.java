// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.records;

import io.rdio.bench.client.Mix;
import io.rdio.bench.client.Output;
import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.RemoteWrites;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.SlotPools;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.records.RecordsBenchmark.Point;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Operations on records by many threads: at each point the ways in turn. What a pass has written is
 * deleted behind it, so that each begins with the same records; and where RDIO writes, too, with
 * all slots free.
 *
 * @param mixes workloads
 * @param records at first
 * @param recordBytes of each
 * @param exponent of Zipf's law; 0 for uniform
 * @param threads a point of the curve each
 * @param rounds at each point, behind one warm-up of each way
 * @param seconds of each pass
 * @param poolBytes of slots by which the agent's way writes; 0 for no such way
 */
record RecordsBenchmark(
    List<Mix> mixes,
    int records,
    int recordBytes,
    double exponent,
    List<Integer> threads,
    int rounds,
    double seconds,
    long poolBytes)
    implements ClusterBenchmark<Point> {
  private static final int THREADS_MAX = 1024;

  /** A guess, for what passes write: deleted blocks stay, those that are leased for two minutes. */
  private static final int WRITES_PER_SECOND = 1500;

  private static final long WRITTEN_BYTES_MIN = 512L << 20;
  private static final long WRITTEN_BYTES_MAX = 4L << 30;

  private static final int WARM_UP_THREADS = 4;

  /** Slots of a pool at least: fewer are used up before there is anything to compare. */
  private static final int SLOTS_MIN = 16;

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
    if (poolBytes != 0 && poolBytes < SLOTS_MIN * Output.blockFor(recordBytes)) {
      throw new IllegalArgumentException(
          "--pool "
              + poolBytes
              + ": less than "
              + SLOTS_MIN
              + " slots of "
              + Output.blockFor(recordBytes)
              + " bytes");
    }
  }

  /** Whether the agent's way is compared, which writes by RDIO. */
  private boolean isWrittenByRdio() {
    return poolBytes > 0;
  }

  /** What is compared: to the raw device nothing can be written. */
  List<Way> ways(Mix mix) {
    List<Way> ways = new ArrayList<>(List.of(Way.STOCK, Way.RDIO));
    if (isWrittenByRdio()) {
      ways.add(Way.AGENT);
    }
    ways.add(Way.LOCAL);
    if (mix.readsOnly()) {
      ways.add(Way.RAW);
    }
    return ways;
  }

  @Override
  public Map<String, String> keys() {
    return isWrittenByRdio()
        ? RemoteWrites.manyFilesKeys(Output.blockFor(recordBytes), poolBytes)
        : Map.of();
  }

  @Override
  public long bytes() {
    int byHdfs = ways(Mix.LOAD).size() - 1; // Local files that are deleted take no space.
    double passes = (double) mixes.size() * threads.size() * rounds * byHdfs;
    double written = passes * seconds * WRITES_PER_SECOND * recordBytes;
    return (long) records * recordBytes
        + poolBytes
        + Task.RECORDS_WRITTEN_MAX
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
    cluster.startClients(List.of(Way.STOCK, Way.RDIO), names);
    if (isWrittenByRdio()) {
      cluster.addRdioKeys(RemoteWrites.clientKeys(1)); // no record is small
      cluster.startClients(List.of(Way.AGENT), names);
    }
    cluster.startClients(List.of(Way.LOCAL, Way.RAW), names);
    SlotPools pools = cluster.slotPools();
    if (isWrittenByRdio()) {
      cluster.say("Waiting for " + Sizes.label(poolBytes) + " of slots...");
      pools.awaitFilled(poolBytes, Output.blockFor(recordBytes));
    }
    // Only once: later on files go while they are looked for, and warm is what records are.
    cluster.prepareCaches();
    for (Mix mix : mixes) {
      cluster.say("Warming up by workload " + mix + "...");
      Task.Operations few = new Task.Operations(mix, WARM_UP_THREADS, exponent);
      Task warmUp = Task.records(names, recordBytes, few, seconds, 0);
      for (Way way : ways(mix)) {
        pass(cluster, pools, way, warmUp);
      }
      for (int count : threads) {
        measure(cluster, pools, passes, new Point(mix, count), names);
      }
    }
  }

  /** Where RDIO writes with all slots free, and without what the pass before left to write back. */
  private Pass pass(BenchCluster cluster, SlotPools pools, Way way, Task task) throws IOException {
    if (isWrittenByRdio()) {
      pools.settle();
    }
    return cluster.measure(way, task);
  }

  private void measure(
      BenchCluster cluster, SlotPools pools, Passes<Point> passes, Point point, List<String> names)
      throws IOException {
    cluster.say(point + "...");
    if (!point.mix().readsOnly()) {
      passes.anyWay(point); // What has just been written may be stock HDFS's.
    }
    Task.Operations operations = new Task.Operations(point.mix(), point.threads(), exponent);
    for (int round = 1; round <= rounds; round++) {
      Task task = Task.records(names, recordBytes, operations, seconds, round);
      passes.round(round, point, ways(point.mix()), way -> pass(cluster, pools, way, task));
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
    fields.put("pool_bytes", poolBytes);
    return fields;
  }

  @Override
  public Findings findings(Passes<Point> passes, ClusterOptions where) {
    return new RecordsFindings(rounds, passes).all();
  }
}
