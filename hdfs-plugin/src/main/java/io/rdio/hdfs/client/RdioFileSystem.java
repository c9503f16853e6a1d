// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.positional.PositionalSource;
import io.rdio.hdfs.client.vectored.VectoredInputStream;
import io.rdio.hdfs.client.vectored.VectoredReader;
import io.rdio.hdfs.client.write.NewFiles;
import io.rdio.hdfs.client.write.WriteCounters;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * HDFS whose {@code readVectored} has its ranges under way together, and whose reads by position
 * are by RDIO at once, by {@code fs.hdfs.impl=io.rdio.hdfs.client.RdioFileSystem}. Stock HDFS reads
 * ranges one after the other and makes a reader for each read, and has no other hook for it: a
 * replica accessor is asked for one range at a time. On a Hadoop before 3.3.5, whose streams know
 * no ranges, these are stock.
 *
 * <p>With {@code dfs.client.rdio.write} new files are written by the agent of this host, but for
 * those that are made by {@code createFile}: Hadoop's builder comes past what can be overridden.
 * They are counted when the builder is made. All else is stock.
 *
 * <p>Also it shows what RDIO did to who looks for Hadoop's IOStatistics, which HDFS itself has not.
 */
public final class RdioFileSystem extends DistributedFileSystem implements IOStatisticsSource {
  private volatile @Nullable VectoredReader reader;
  private volatile @Nullable NewFiles newFiles;
  private volatile boolean verifyChecksum = true;

  /** As Hadoop calls it. */
  public RdioFileSystem() {}

  @Override
  public void initialize(URI uri, Configuration conf) throws IOException {
    super.initialize(uri, conf);
    if (hasRanges()) {
      reader = VectoredReader.of(conf); // its class links only where theirs are
    }
    if (RdioConfigKeys.CLIENT_WRITE.isSet(conf)) { // else it is off, and nothing is loaded for it
      newFiles = NewFiles.of(conf, AgentBlocks.of(conf), WriteCounters.OF_THIS_JVM);
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
    return vectored(super.open(file, bufferSize), pathOf(file));
  }

  private String pathOf(Path file) {
    return makeQualified(fixRelativePart(file)).toUri().getPath();
  }

  /** All others that create a file end here, or in one of the next two. */
  @Override
  public FSDataOutputStream create(
      Path file,
      @Nullable FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      @Nullable Progressable progress,
      @Nullable ChecksumOpt checksum)
      throws IOException {
    FSDataOutputStream stock =
        super.create(
            file, permission, flags, bufferSize, replication, blockSize, progress, checksum);
    return created(file, flags, stock);
  }

  @Override
  public FSDataOutputStream createNonRecursive(
      Path file,
      @Nullable FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      @Nullable Progressable progress)
      throws IOException {
    FSDataOutputStream stock =
        super.createNonRecursive(
            file, permission, flags, bufferSize, replication, blockSize, progress);
    return created(file, flags, stock);
  }

  private FSDataOutputStream created(Path file, EnumSet<CreateFlag> flags, FSDataOutputStream stock)
      throws IOException {
    NewFiles files = newFiles;
    return files == null ? stock : files.created(pathOf(file), flags, stock, statistics);
  }

  @Override
  public HdfsDataOutputStream create(
      Path file,
      @Nullable FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      @Nullable Progressable progress,
      InetSocketAddress @Nullable [] favoredNodes)
      throws IOException {
    HdfsDataOutputStream stock =
        super.create(
            file,
            permission,
            overwrite,
            bufferSize,
            replication,
            blockSize,
            progress,
            favoredNodes);
    if (favoredNodes == null) {
      return (HdfsDataOutputStream) created(file, EnumSet.of(CreateFlag.CREATE), stock);
    }
    leftToStock(file, "favored nodes");
    return stock;
  }

  @Override
  public HdfsDataOutputStreamBuilder createFile(Path file) {
    leftToStock(file, "createFile");
    return super.createFile(file);
  }

  /** All others that append end here, or in the next one, where {@code appendFile} does. */
  @Override
  public FSDataOutputStream append(
      Path file, EnumSet<CreateFlag> flags, int bufferSize, @Nullable Progressable progress)
      throws IOException {
    leftToStock(file, "append");
    return super.append(file, flags, bufferSize, progress);
  }

  @Override
  public FSDataOutputStream append(
      Path file,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      @Nullable Progressable progress,
      InetSocketAddress @Nullable [] favoredNodes)
      throws IOException {
    leftToStock(file, "append");
    return super.append(file, flags, bufferSize, progress, favoredNodes);
  }

  private void leftToStock(Path file, String why) {
    NewFiles files = newFiles;
    if (files != null) {
      files.leftToStock(pathOf(file), why);
    }
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
