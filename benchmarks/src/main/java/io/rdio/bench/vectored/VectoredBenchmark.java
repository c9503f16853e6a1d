// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.vectored;

import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import io.rdio.hdfs.client.RdioFileSystem;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The same columns of a Parquet file by each way in turn, in both scenes.
 *
 * @param bytes of the file, about
 * @param rowGroupBytes of each row group, about
 * @param columns of the file, eight bytes each
 * @param read columns that are read, evenly spread
 * @param scans of each pass
 * @param rounds that are measured, behind one that is not
 */
record VectoredBenchmark(
    long bytes, long rowGroupBytes, int columns, int read, int scans, int rounds)
    implements ClusterBenchmark<Scene> {
  static final List<Way> WAYS = List.of(Way.STOCK, Way.RDIO, Way.AGENT);

  VectoredBenchmark {
    Checks.requireOneOrMore("--columns", columns);
    Checks.requireOneOrMore("--read", read);
    Checks.requireOneOrMore("--scans", scans);
    Checks.requireOneOrMore("--rounds", rounds);
    if (read > columns) {
      throw new IllegalArgumentException("--read " + read + ": more than --columns " + columns);
    }
    if (bytes < rowGroupBytes) {
      throw new IllegalArgumentException(
          "--size " + bytes + ": less than a row group of " + rowGroupBytes + " bytes");
    }
  }

  @Override
  public String verified() {
    return "all files by every way; columns: every pass has the same CRC32C";
  }

  @Override
  public void run(BenchCluster cluster, Passes<Scene> passes) throws IOException {
    cluster.say("Writing a Parquet file of " + Sizes.label(bytes) + "...");
    String file =
        cluster.write("/vectored/table.parquet", new ParquetTable(bytes, rowGroupBytes, columns));
    cluster.addRdioKeys(Map.of("fs.hdfs.impl", RdioFileSystem.class.getName()));
    cluster.startClients(WAYS, List.of(file));
    SameContent content = new SameContent();
    for (int round = 0; round <= rounds; round++) {
      cluster.say(round == 0 ? "Warming up..." : "Round " + round + " of " + rounds + "...");
      for (Scene scene : Scene.values()) {
        Task task = Task.columns(file, wanted(), scene == Scene.VECTORED, scans);
        passes.round(
            round, scene, WAYS, way -> content.check(scene, cluster.measurePrepared(way, task)));
      }
    }
  }

  private List<Integer> wanted() {
    return IntStream.range(0, read).mapToObj(i -> (2 * i + 1) * columns / (2 * read)).toList();
  }

  /** What all passes must have read alike. */
  private static final class SameContent {
    private List<String> first = List.of();

    Pass check(Scene scene, Pass pass) throws IOException {
      List<String> digests = pass.answer().sha256();
      if (first.isEmpty()) {
        first = digests;
      }
      if (!digests.equals(first)) {
        throw new IOException(
            "WRONG: " + pass.way().label() + ", " + scene + ", read " + digests + ", not " + first);
      }
      return pass;
    }
  }

  @Override
  public String describe() {
    return String.format(
        Locale.ROOT,
        "a Parquet file of %s in row groups of %s, %d of its %d columns read %d times in each pass,"
            + " rounds: %d",
        Sizes.label(bytes),
        Sizes.label(rowGroupBytes),
        read,
        columns,
        scans,
        rounds);
  }

  @Override
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("file_bytes", bytes);
    fields.put("row_group_bytes", rowGroupBytes);
    fields.put("columns", columns);
    fields.put("columns_read", wanted());
    fields.put("scans", scans);
    fields.put("rounds", rounds);
    return fields;
  }

  @Override
  public Findings findings(Passes<Scene> passes, ClusterOptions where) {
    return new VectoredFindings(this, passes).all();
  }
}
