// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.Output;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.demo.RandomContent;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/** Files to be read, which stock HDFS writes to a cluster, and their sums. For one thread. */
final class StockFiles {
  private static final int BUFFER_BYTES = 1 << 16;

  /** No more than there is spare space for, each with a block of 128 MiB. */
  private static final int WRITERS = 6;

  private final Cluster cluster;
  private final Map<String, String> sha256 = new LinkedHashMap<>();

  StockFiles(Cluster cluster) {
    this.cluster = cluster;
  }

  /** SHA-256 of a file in hexadecimal digits; null of one that was not written here. */
  @Nullable String sha256(String file) {
    return sha256.get(file);
  }

  /**
   * Writes files of content that no two have in common.
   *
   * @param blockBytes of their blocks, at most; 0 for what the cluster has by default
   * @return their names
   */
  List<String> write(String prefix, int count, long bytesEach, long blockBytes) throws IOException {
    List<String> names = IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    // The NameNode waits for its disk at each step of a file: several files share these waits.
    ExecutorService pool = Executors.newFixedThreadPool(WRITERS);
    try (FileSystem fs = cluster.fileSystem(false)) {
      List<Future<String>> writing = new ArrayList<>();
      for (String name : names) {
        writing.add(pool.submit(() -> write(fs, name, bytesEach, blockBytes)));
      }
      for (int i = 0; i < count; i++) {
        sha256.put(names.get(i), writing.get(i).get());
      }
    } catch (ExecutionException e) {
      throw new IOException("writing " + prefix + "*: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while writing " + prefix + "*");
    } finally {
      pool.shutdownNow();
    }
    return names;
  }

  private static String write(FileSystem fs, String name, long bytes, long blockBytes)
      throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(name);
    // The NameNode sets space for a whole block aside: not more than the file needs, or some small
    // files that are begun together find the volume full.
    long most = blockBytes == 0 ? fs.getDefaultBlockSize(path) : blockBytes;
    long blockSize = Math.min(most, Output.blockFor(bytes));
    try (OutputStream out =
        fs.create(path, true, BUFFER_BYTES, fs.getDefaultReplication(path), blockSize)) {
      return RandomContent.write(out, name.hashCode(), bytes, written -> {});
    }
  }

  /**
   * Writes one file.
   *
   * @return its name
   */
  String write(String name, BenchCluster.Content content) throws IOException {
    Path local = cluster.folder().resolve("content");
    content.write(local);
    MessageDigest digest = RandomContent.sha256();
    try (FileSystem fs = cluster.fileSystem(false);
        OutputStream out =
            new DigestOutputStream(fs.create(new org.apache.hadoop.fs.Path(name)), digest)) {
      Files.copy(local, out);
    } finally {
      Files.deleteIfExists(local);
    }
    sha256.put(name, RandomContent.hex(digest));
    return name;
  }
}
