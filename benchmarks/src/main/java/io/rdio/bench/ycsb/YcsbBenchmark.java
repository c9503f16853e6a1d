// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.ycsb;

import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.ycsb.YcsbBenchmark.Point;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Positional reads by many threads: at each point the ways in turn.
 *
 * @param files that are read
 * @param fileBytes of each
 * @param sizes of reads
 * @param rounds at each point, behind one warm-up of each way
 * @param seconds of each pass
 * @param dataCacheBytes memory of the block data cache of a third way; 0 for no such way
 * @param plane metadata plane of clients by RDIO
 */
record YcsbBenchmark(
    int files,
    long fileBytes,
    List<Integer> sizes,
    List<Distribution> distributions,
    List<Integer> threads,
    int rounds,
    double seconds,
    long dataCacheBytes,
    String plane)
    implements ClusterBenchmark<Point> {
  private static final int THREADS_MAX = 1024;
  private static final List<String> PLANES = List.of("grpc", "device");

  /** Where the ways are compared. */
  record Point(Distribution distribution, int threads) {
    @Override
    public String toString() {
      return distribution + ", " + threads + (threads == 1 ? " thread" : " threads");
    }
  }

  YcsbBenchmark {
    Checks.requireOneOrMore("--files", files);
    Checks.requireOneOrMore("--rounds", rounds);
    Checks.requirePositive("--seconds", seconds);
    for (int count : threads) {
      Checks.requireOneOrMore("--threads", count);
      if (count > THREADS_MAX) {
        throw new IllegalArgumentException("--threads " + count + ": at most " + THREADS_MAX);
      }
    }
    if (!PLANES.contains(plane)) {
      throw new IllegalArgumentException("--metadata-plane " + plane + ": take grpc or device");
    }
    if (fileBytes < Collections.max(sizes)) {
      throw new IllegalArgumentException(
          "--file-size "
              + fileBytes
              + ": less than a read of "
              + Collections.max(sizes)
              + " bytes (--read-sizes)");
    }
  }

  /** What is compared. */
  List<Way> ways() {
    return dataCacheBytes == 0
        ? List.of(Way.STOCK, Way.RDIO)
        : List.of(Way.STOCK, Way.RDIO, Way.CACHED);
  }

  @Override
  public long bytes() {
    return files * fileBytes;
  }

  @Override
  public void run(BenchCluster cluster, Passes<Point> passes) throws IOException {
    List<String> names = cluster.write("/bench/item-", files, fileBytes);
    cluster.setDataCacheBytes(dataCacheBytes);
    cluster.addRdioKeys(Map.of(RdioConfigKeys.CLIENT_METADATA_PLANE.name(), plane));
    cluster.startClients(ways(), names);
    Point first = new Point(distributions.get(0), threads.get(0));
    cluster.say("Warming up...");
    passes.round(0, first, ways(), way -> cluster.measure(way, task(first, names, 0)));
    for (Distribution distribution : distributions) {
      for (int count : threads) {
        measure(cluster, passes, new Point(distribution, count), names);
      }
    }
  }

  private void measure(BenchCluster cluster, Passes<Point> passes, Point point, List<String> names)
      throws IOException {
    cluster.say(point + "...");
    for (int round = 1; round <= rounds; round++) {
      Task task = task(point, names, round);
      passes.round(round, point, ways(), way -> cluster.measurePrepared(way, task));
    }
  }

  /** The same reads, as far as time allows, for all ways of a round. */
  private Task task(Point point, List<String> names, int round) {
    double exponent = point.distribution().exponent;
    return Task.positional(names, point.threads(), sizes, exponent, seconds, round);
  }

  @Override
  public String describe() {
    String labels = sizes.stream().map(size -> Sizes.label(size)).collect(Collectors.joining(", "));
    return files
        + " files of "
        + Sizes.label(fileBytes)
        + ", reads of "
        + labels
        + (plane.equals(PLANES.get(0)) ? "" : ", metadata plane " + plane);
  }

  @Override
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("files", files);
    fields.put("file_bytes", fileBytes);
    fields.put("read_sizes", sizes);
    fields.put("rounds", rounds);
    fields.put("seconds", seconds);
    fields.put("data_cache_bytes", dataCacheBytes);
    fields.put("metadata_plane", plane);
    return fields;
  }

  @Override
  public Findings findings(Passes<Point> passes, ClusterOptions where) {
    return new YcsbFindings(this, passes).all();
  }
}
