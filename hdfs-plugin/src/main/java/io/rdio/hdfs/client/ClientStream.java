// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.hdfs.client.way.BlockToRead;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.io.DataOutputBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A stream as the thin client knows it: whose blocks are read round Hadoop's own reads, and the
 * figures that Hadoop keeps of what is read. Thread-safe.
 */
final class ClientStream {
  private final Configuration conf;
  private final String file;
  private final boolean verifyChecksum;
  private final DFSInputStream stream;
  private final FileSystem.@Nullable Statistics statistics;

  /**
   * @param file its path, as the stream was opened by
   * @param statistics of the file system
   */
  ClientStream(
      Configuration conf,
      String file,
      boolean verifyChecksum,
      DFSInputStream stream,
      FileSystem.@Nullable Statistics statistics) {
    this.conf = conf;
    this.file = file;
    this.verifyChecksum = verifyChecksum;
    this.stream = stream;
    this.statistics = statistics;
  }

  /**
   * The client that reads it.
   *
   * @throws FallbackException why RDIO reads nothing with this configuration
   */
  ThinClient client() throws FallbackException {
    ThinClient client = ThinClient.of(conf);
    client.requireUsable();
    return client;
  }

  /**
   * A block of it.
   *
   * @param end where its reader stops, in bytes from the block's start
   */
  BlockToRead block(ThinClient client, LocatedBlock located, long end) throws FallbackException {
    ExtendedBlock block = located.getBlock();
    BlockKey key =
        new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
    BlockRequest request = new BlockRequest(new TokenedBlock(key, token(located)), file);
    return new BlockToRead(request, verifyChecksum, end, client.stockBlocks(key.poolId()));
  }

  private static byte[] token(LocatedBlock located) {
    try (DataOutputBuffer out = new DataOutputBuffer()) {
      located.getBlockToken().write(out);
      return Arrays.copyOf(out.getData(), out.getLength());
    } catch (IOException e) {
      throw new IllegalStateException("a buffer in memory that cannot be written", e);
    }
  }

  /** Counts bytes of one read, as Hadoop counts those of a short-circuit reader. */
  void read(int bytes) {
    stream.getReadStatistics().addShortCircuitBytes(bytes);
    if (statistics != null) {
      statistics.incrementBytesRead(bytes);
      statistics.incrementBytesReadByDistance(0, bytes);
    }
    JobCounter.add(bytes);
  }

  /**
   * Counts bytes of one read by a DataNode, as Hadoop counts its own.
   *
   * @param distance to that, as Hadoop counts it
   */
  void readByDataNode(int bytes, int distance, long nanos) {
    if (distance == 0) {
      stream.getReadStatistics().addLocalBytes(bytes);
    } else {
      stream.getReadStatistics().addRemoteBytes(bytes);
    }
    if (statistics != null) {
      statistics.incrementBytesRead(bytes);
      statistics.incrementBytesReadByDistance(distance, bytes);
      if (distance > 0) {
        RemoteReadTime.add(statistics, nanos);
      }
    }
  }

  /** Counts and logs an accident. */
  void failed(Throwable accident) {
    JvmCounters.internalError(accident, file);
  }
}
