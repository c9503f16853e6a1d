// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.resilience;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.bench.hdfs.Patience;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessLines;
import io.rdio.hdfs.demo.RandomContent;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/**
 * A throwaway cluster with one DataNode for each block of an erasure-coded group, its files, and
 * the JVM that reads them. For one thread.
 */
final class StripedCluster implements AutoCloseable {
  private static final long SPARE_BYTES = 256L << 20;
  private static final long BLOCK_UNIT = 1 << 20;
  private static final int WARM_UPS = 4;
  private static final String FOLDER = "/striped";

  /** Of the files, by one order: those that are to be in the cache are read twice. */
  private static final int PASSES = 2;

  private final Cluster cluster;
  private final Writer orders;
  private final ProcessLines answers;
  private final Duration patience;

  /** Writes all files; a group each. */
  StripedCluster(ErasureCodingPolicy policy, int objects, long bytesEach) throws IOException {
    int dataUnits = policy.getNumDataUnits();
    long blockBytes = (bytesEach / dataUnits / BLOCK_UNIT + 1) * BLOCK_UNIT;
    cluster =
        Cluster.builder()
            .folderPrefix("rdio-bench-")
            .volumeBytes((objects + WARM_UPS) * blockBytes + SPARE_BYTES)
            .dataNodes(dataUnits + policy.getNumParityUnits())
            .set("dfs.blocksize", Long.toString(blockBytes))
            // Maps are waited for: what is asked is what they cost.
            .set(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), "0")
            .start();
    try {
      Process reader = startReader(cluster, writeAll(cluster, policy, objects, bytesEach));
      cluster.killLater(reader);
      orders = reader.outputWriter(UTF_8);
      answers = ProcessLines.of(reader, "the reading JVM", log(cluster));
      patience = Patience.of(cluster).multipliedBy(PASSES);
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** Files, the sum of each, and files to warm up with. */
  private record Written(List<String> files, List<String> sums, List<String> warmUps) {}

  private static Written writeAll(
      Cluster cluster, ErasureCodingPolicy policy, int objects, long bytesEach) throws IOException {
    Written written = new Written(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    try (DistributedFileSystem fs = (DistributedFileSystem) cluster.fileSystem(false)) {
      fs.mkdirs(new Path(FOLDER));
      fs.enableErasureCodingPolicy(policy.getName());
      fs.setErasureCodingPolicy(new Path(FOLDER), policy.getName());
      for (int i = 0; i < objects; i++) {
        written.files().add(FOLDER + "/" + i);
        written.sums().add(write(fs, written.files().get(i), bytesEach));
      }
      for (int i = 0; i < WARM_UPS; i++) {
        written.warmUps().add(FOLDER + "/warm-up-" + i);
        write(fs, written.warmUps().get(i), bytesEach);
      }
    }
    return written;
  }

  private static Process startReader(Cluster cluster, Written written) throws IOException {
    return cluster
        .jvm(
            cluster.confFolder(true),
            List.of("-Xmx1g", "-Drdio.log.level=ERROR"),
            ResilienceReader.class.getName(),
            String.join(",", written.files()),
            String.join(",", written.sums()),
            String.join(",", written.warmUps()))
        .redirectError(log(cluster).toFile())
        .start();
  }

  private static java.nio.file.Path log(Cluster cluster) {
    return cluster.folder().resolve("reader.log");
  }

  private static String write(FileSystem fs, String name, long bytes) throws IOException {
    try (OutputStream out = fs.create(new Path(name))) {
      return RandomContent.write(out, name.hashCode(), bytes, written -> {});
    }
  }

  /**
   * Reads all files, with none of them in a page cache.
   *
   * @param warm of so many files RDIO has the maps; {@link ResilienceReader#STOCK} for stock HDFS
   * @throws IOException if a byte that was compared is not what was written, or the reader ended or
   *     takes much longer than it may
   */
  Outcome read(int warm) throws IOException {
    cluster.dropPageCaches();
    orders.write(warm + "\n");
    orders.flush();
    String line;
    do {
      line = answers.next("what came of its reads", patience);
      if (line.startsWith(ResilienceReader.WRONG)) {
        throw new IOException(line + ": RDIO read what was not written");
      }
    } while (!line.startsWith(ResilienceReader.ANSWER));
    return Outcome.ofLine(line.substring(ResilienceReader.ANSWER.length()));
  }

  /** Ends one more DataNode at once, as a crash does. */
  void kill(int dataNode) throws IOException {
    cluster.dataNode(dataNode).kill();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
