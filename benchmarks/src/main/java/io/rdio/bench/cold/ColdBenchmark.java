// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.cold;

import io.rdio.bench.cold.ColdBenchmark.File;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.FreshJvms;
import io.rdio.bench.hdfs.FreshJvms.Footprint;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code hdfs dfs -cat} of one file in a fresh JVM, by each way in turn.
 *
 * @param sizes of the files, in bytes
 * @param rounds behind a warm-up, which opens each file once by the agent
 */
record ColdBenchmark(List<Long> sizes, int rounds, Map<Way, Footprint> footprints)
    implements ClusterBenchmark<File> {
  static final List<Way> WAYS = List.of(Way.STOCK, Way.GROWN, Way.RDIO, Way.AGENT);

  /** What is measured. */
  record File(long bytes) {
    @Override
    public String toString() {
      return Sizes.label(bytes);
    }
  }

  ColdBenchmark(List<Long> sizes, int rounds) {
    this(List.copyOf(sizes), rounds, new EnumMap<>(Way.class));
    Checks.requireOneOrMore("--rounds", rounds);
  }

  @Override
  public long bytes() {
    return sizes.stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public void run(BenchCluster cluster, Passes<File> passes) throws IOException {
    Map<Long, String> files = new LinkedHashMap<>();
    for (long size : sizes) {
      files.put(size, cluster.write("/cold/" + size + "-", 1, size).get(0));
    }
    FreshJvms jvms = cluster.freshJvms();
    cluster.startAgent();
    for (String file : files.values()) {
      for (Way way : WAYS) {
        jvms.verify(way, file);
      }
    }
    for (int round = 0; round <= rounds; round++) {
      cluster.say(round == 0 ? "Warming up..." : "Round " + round + " of " + rounds + "...");
      for (long size : sizes) {
        String name = files.get(size);
        File file = new File(size);
        passes.anyWay(file); // RDIO leaves the first bytes of a new block to stock HDFS
        passes.round(round, file, WAYS, way -> jvms.measure(way, String.valueOf(name), size));
      }
    }
    for (Way way : WAYS) {
      footprints.put(way, jvms.footprint(way, String.valueOf(files.get(sizes.get(0)))));
    }
  }

  @Override
  public String describe() {
    return String.format(Locale.ROOT, "%d rounds, each -cat in a JVM of its own", rounds);
  }

  @Override
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("sizes", sizes);
    fields.put("rounds", rounds);
    return fields;
  }

  @Override
  public Findings findings(Passes<File> passes, ClusterOptions where) {
    return new ColdFindings(this, passes).all();
  }
}
