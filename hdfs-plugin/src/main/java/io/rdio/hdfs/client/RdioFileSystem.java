// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.hdfs.client.positional.PositionalSource;
import io.rdio.hdfs.client.vectored.VectoredInputStream;
import io.rdio.hdfs.client.vectored.VectoredReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.jspecify.annotations.Nullable;

/**
 * HDFS whose {@code readVectored} has its ranges under way together, and whose reads by position
 * are by RDIO at once, by {@code fs.hdfs.impl=io.rdio.hdfs.client.RdioFileSystem}. Stock HDFS reads
 * ranges one after the other and makes a reader for each read, and has no other hook for it: a
 * replica accessor is asked for one range at a time. All else is stock, and all of it is on a
 * Hadoop before 3.3.5, whose streams know no ranges.
 *
 * <p>Also it shows what RDIO did to who looks for Hadoop's IOStatistics, which HDFS itself has not.
 */
public final class RdioFileSystem extends DistributedFileSystem implements IOStatisticsSource {
  private volatile @Nullable VectoredReader reader;
  private volatile boolean verifyChecksum = true;

  /** As Hadoop calls it. */
  public RdioFileSystem() {}

  @Override
  public void initialize(URI uri, Configuration conf) throws IOException {
    super.initialize(uri, conf);
    if (hasRanges()) {
      reader = VectoredReader.of(conf); // its class links only where theirs are
    }
  }

  private static boolean hasRanges() {
    try {
      Class.forName(
          "org.apache.hadoop.fs.FileRange", false, FSDataInputStream.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  @Override
  public FSDataInputStream open(Path file, int bufferSize) throws IOException {
    String path = makeQualified(fixRelativePart(file)).toUri().getPath();
    return vectored(super.open(file, bufferSize), path);
  }

  @Override
  public void setVerifyChecksum(boolean verify) {
    super.setVerifyChecksum(verify);
    verifyChecksum = verify;
  }

  @Override
  public FSDataInputStream open(PathHandle file, int bufferSize) throws IOException {
    return vectored(super.open(file, bufferSize), "");
  }

  /**
   * A stream of an encryption zone stays as it is: its bytes have to be decrypted in order.
   *
   * @param path as the stream was opened by; empty where that is no path
   */
  private FSDataInputStream vectored(FSDataInputStream stock, String path) {
    VectoredReader vectored = reader;
    InputStream wrapped = stock.getWrappedStream();
    if (vectored == null
        || !(stock instanceof HdfsDataInputStream)
        || !(wrapped instanceof DFSInputStream)) {
      return stock;
    }
    DFSInputStream blocks = (DFSInputStream) wrapped;
    if (path.isEmpty()) {
      return new VectoredInputStream(blocks, null, vectored, null);
    }
    ClientStream stream = new ClientStream(getConf(), path, verifyChecksum, blocks, statistics);
    return new VectoredInputStream(blocks, positions(stream), vectored, new ClientRanges(stream));
  }

  /** Null where HDFS hedges reads by position: RDIO would have none to take over from it. */
  private @Nullable PositionalSource positions(ClientStream stream) {
    boolean hedged = getConf().getInt(HdfsClientConfigKeys.HedgedRead.THREADPOOL_SIZE_KEY, 0) > 0;
    return hedged ? null : new ClientPositions(stream, getClient()::isClientRunning);
  }

  /** Bytes and fallbacks of all that RDIO read in this JVM, by the names of its metrics. */
  @Override
  public IOStatistics getIOStatistics() {
    return RdioIoStatistics.INSTANCE;
  }

  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      VectoredReader vectored = reader;
      if (vectored != null) {
        vectored.close();
      }
    }
  }
}
