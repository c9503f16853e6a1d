// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.objects;

import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.objects.ObjectsBenchmark.WholeFiles;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Whole files, by each way in turn. All ways of a round read the same files, which no client has
 * opened before; then the same again.
 *
 * @param sizes of files in bytes
 * @param files of a size in a pass, at most
 * @param passBytes of a pass, at most, but for one file
 * @param threads that read at the same time
 * @param rounds that are measured, behind one that is not
 * @param plane RDIO's metadata plane
 */
record ObjectsBenchmark(
    List<Long> sizes, int files, long passBytes, int threads, int rounds, String plane)
    implements ClusterBenchmark<WholeFiles> {
  static final List<Way> WITH_HDFS = List.of(Way.STOCK, Way.RDIO);
  static final List<Way> ALL = List.of(Way.STOCK, Way.RDIO, Way.RAW);

  private static final List<String> PLANES = List.of("grpc", "device");
  private static final int READ_BYTES = 1 << 20;
  private static final long WARM_UP_BYTES = 64L << 10;

  /** Opening has to be compiled, too: HDFS's client makes some hundred calls for each file. */
  private static final int WARM_UP_FILES = 200;

  /**
   * What is read.
   *
   * @param bytes of each file
   * @param again whether the same client has read the same files just before
   */
  record WholeFiles(long bytes, boolean again) {
    @Override
    public String toString() {
      return "files of " + Sizes.label(bytes) + (again ? ", maps cached" : ", never opened before");
    }
  }

  ObjectsBenchmark {
    sizes = List.copyOf(sizes);
    Checks.requireOneOrMore("--files", files);
    Checks.requireOneOrMore("--threads", threads);
    Checks.requireOneOrMore("--rounds", rounds);
    if (!PLANES.contains(plane)) {
      throw new IllegalArgumentException("--metadata-plane " + plane + ": take grpc or device");
    }
  }

  /** Files of a size in a pass. */
  int filesOf(long bytes) {
    return (int) Math.max(1, Math.min(files, passBytes / bytes));
  }

  @Override
  public long bytes() {
    long pass = sizes.stream().mapToLong(size -> size * filesOf(size)).sum();
    return pass * (rounds + 1) + WARM_UP_FILES * WARM_UP_BYTES;
  }

  @Override
  public String verified() {
    return "all files by the raw device, those of the warm-up by every way";
  }

  @Override
  public void run(BenchCluster cluster, Passes<WholeFiles> passes) throws IOException {
    List<String> warmUp = cluster.write("/objects/warm-up-", WARM_UP_FILES, WARM_UP_BYTES);
    Map<Long, List<String>> written = new LinkedHashMap<>();
    List<String> all = new ArrayList<>();
    for (long size : sizes) {
      int count = filesOf(size) * (rounds + 1);
      written.put(size, cluster.write("/objects/" + size + "-", count, size));
    }
    written.values().forEach(all::addAll);
    cluster.addRdioKeys(
        Map.of(
            // Maps are waited for: what they cost is what is asked.
            RdioConfigKeys.CLIENT_FIRST_BYTES.name(),
            "0",
            RdioConfigKeys.CLIENT_METADATA_PLANE.name(),
            plane));
    cluster.startClients(WITH_HDFS, warmUp);
    cluster.startClients(List.of(Way.RAW), all);
    cluster.say("Warming up...");
    for (Way way : WITH_HDFS) {
      cluster.measure(way, Task.objects(warmUp, threads, READ_BYTES));
    }
    for (int round = 0; round <= rounds; round++) {
      cluster.say(
          round == 0 ? "A round to warm up..." : "Round " + round + " of " + rounds + "...");
      for (long size : sizes) {
        int count = filesOf(size);
        List<String> its = written.getOrDefault(size, List.of());
        measure(cluster, passes, round, size, its.subList(round * count, (round + 1) * count));
      }
    }
  }

  private void measure(
      BenchCluster cluster, Passes<WholeFiles> passes, int round, long size, List<String> names)
      throws IOException {
    int readBytes = (int) Math.min(size, READ_BYTES);
    Task task = Task.objects(names, Math.min(threads, names.size()), readBytes);
    // Once for all ways: stock HDFS alone has these files read into the page cache.
    cluster.prepareCaches();
    for (boolean again : new boolean[] {false, true}) {
      passes.round(round, new WholeFiles(size, again), ALL, way -> cluster.measure(way, task));
    }
  }

  @Override
  public String describe() {
    return String.format(
        Locale.ROOT,
        "%d at most of each size in a pass, %d %s, metadata plane %s",
        files,
        threads,
        threads == 1 ? "thread" : "threads",
        plane);
  }

  @Override
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("sizes", sizes);
    fields.put("files", files);
    fields.put("pass_bytes", passBytes);
    fields.put("threads", threads);
    fields.put("rounds", rounds);
    fields.put("metadata_plane", plane);
    return fields;
  }

  @Override
  public Findings findings(Passes<WholeFiles> passes, ClusterOptions where) {
    return new ObjectsFindings(rounds, passes).all();
  }
}
