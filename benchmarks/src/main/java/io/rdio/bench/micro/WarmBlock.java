// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.BlockDevice;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RdioReplicaAccessorBuilder;
import io.rdio.hdfs.client.direct.RdioClientContext;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The first block of a file that was read before, with all that RDIO keeps of it. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls open() first.
public class WarmBlock {
  static final String CONF = "rdio.bench.conf";
  static final String FILE = "rdio.bench.file";

  private String fileName;
  private Configuration conf;
  private FileSystem fs;
  private final Queue<Closeable> others = new ConcurrentLinkedQueue<>();
  private BlockRequest request;
  private long length;

  /** Reads the file once, so that maps, devices and CRCs are at hand. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    fileName = System.getProperty(FILE);
    conf = configuration();
    fs = FileSystem.newInstance(conf);
    LocatedBlock first =
        ((DistributedFileSystem) fs).getClient().getLocatedBlocks(fileName, 0).get(0);
    ExtendedBlock block = first.getBlock();
    length = block.getNumBytes();
    request =
        new BlockRequest(
            new TokenedBlock(
                new BlockKey(
                    block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp())),
            fileName);
    warmUp();
  }

  /** Of the client; by default of one that opens the device. */
  Configuration configuration() throws IOException {
    Configuration read = new Configuration();
    read.addResource(new Path(System.getProperty(CONF), "core-site.xml"));
    read.addResource(new Path(System.getProperty(CONF), "hdfs-site.xml"));
    // Else stock HDFS would serve what is read before the map is here.
    read.setInt(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), 0);
    return read;
  }

  private void warmUp() throws IOException {
    byte[] buffer = new byte[1 << 16];
    try (FSDataInputStream in = fs.open(new Path(fileName))) {
      for (long at = 0; at < length; at += buffer.length) {
        in.readFully(at, buffer, 0, (int) Math.min(buffer.length, length - at));
      }
    }
    // Adaptive routing has a look at the DataNode now and then.
    if (RdioClientContext.counters().rdioBytes.sum() < length / 10 * 9) {
      throw new IOException(
          "the reads did not go by RDIO, so there is nothing to measure: "
              + RdioClientContext.dump());
    }
  }

  /** The file, opened by a file system of this kind; both are closed together with this. */
  FSDataInputStream open(Class<? extends FileSystem> kind) throws IOException {
    Configuration own = new Configuration(conf);
    own.set("fs.hdfs.impl", kind.getName());
    FileSystem other = FileSystem.newInstance(own);
    FSDataInputStream in = other.open(new Path(fileName));
    others.add(in);
    others.add(other);
    return in;
  }

  /** Closes what {@link #open} opened, and returns the leases. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    for (Closeable other : others) {
      other.close();
    }
    fs.close();
    RdioClientContext.get(conf).close();
  }

  /** Length of the block, in bytes. */
  long length() {
    return length;
  }

  /** What readers are asked for. */
  BlockRequest request() {
    return request;
  }

  /** What the client reads with, but timed; to be closed before this. */
  TimedReads timedReads() {
    return TimedReads.of(RdioClientContext.get(conf).readContext(), conf);
  }

  /** The same where reads are never given up. */
  TimedReads timedReadsWithoutDeadline() {
    return TimedReads.of(RdioClientContext.get(conf).readContext(), conf, Duration.ZERO);
  }

  /** The map, looked up as a read does. */
  FileMap map() throws FallbackException {
    return RdioClientContext.get(conf).maps().get(request);
  }

  /** The device that the map counts from. */
  BlockDevice device() throws FallbackException {
    FileMap map = map();
    return map.resolve(RdioClientContext.get(conf).devices());
  }

  /** An accessor to read up to an offset, made as HDFS makes it. */
  ReplicaAccessor accessor(long end) {
    BlockKey block = request.block();
    ReplicaAccessor accessor =
        new RdioReplicaAccessorBuilder()
            .setConfiguration(conf)
            .setFileName(fileName)
            .setBlock(block.blockId(), block.poolId())
            .setGenerationStamp(block.generationStamp())
            .setVerifyChecksum(true)
            .setClientName("bench")
            .setAllowShortCircuitReads(true)
            .setVisibleLength(end)
            .setBlockAccessToken(request.token())
            .build();
    if (accessor == null) {
      throw new IllegalStateException("RDIO does not serve this: " + RdioClientContext.dump());
    }
    return accessor;
  }
}
