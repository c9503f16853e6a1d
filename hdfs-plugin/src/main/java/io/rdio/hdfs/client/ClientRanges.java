// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.RangeReads;
import io.rdio.core.block.TokenedBlock;
import io.rdio.hdfs.client.vectored.RangeSource;
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
 * Ranges of one stream's blocks by the thin client's ways, and the figures that Hadoop keeps of
 * what is read. Thread-safe.
 *
 * <p>Whether its file is still being written the stream does not tell; a block that is, is refused
 * by whoever has its map.
 */
final class ClientRanges implements RangeSource {
  private final Configuration conf;
  private final String file;
  private final boolean verifyChecksum;
  private final DFSInputStream stream;
  private final FileSystem.@Nullable Statistics statistics;

  /**
   * @param file its path, as the stream was opened by
   * @param statistics of the file system
   */
  ClientRanges(
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

  @Override
  public boolean mayRead() {
    try {
      ThinClient client = ThinClient.of(conf);
      client.requireUsable();
      return client.ways().mayHaveRanges();
    } catch (FallbackException e) {
      return false; // a read meets it again, and counts it
    } catch (RuntimeException | LinkageError e) {
      failed(e);
      return false;
    }
  }

  @Override
  public @Nullable RangeReads open(LocatedBlock located, long end, long wanted)
      throws FallbackException {
    ThinClient client = ThinClient.of(conf);
    client.requireUsable();
    ExtendedBlock block = located.getBlock();
    BlockKey key =
        new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
    BlockRequest request = new BlockRequest(new TokenedBlock(key, token(located)), file);
    return client
        .ways()
        .openRanges(
            new BlockToRead(request, verifyChecksum, end, client.stockBlocks(key.poolId())),
            wanted);
  }

  private static byte[] token(LocatedBlock located) {
    try (DataOutputBuffer out = new DataOutputBuffer()) {
      located.getBlockToken().write(out);
      return Arrays.copyOf(out.getData(), out.getLength());
    } catch (IOException e) {
      throw new IllegalStateException("a buffer in memory that cannot be written", e);
    }
  }

  @Override
  public void read(int bytes) {
    stream.getReadStatistics().addShortCircuitBytes(bytes);
    if (statistics != null) {
      statistics.incrementBytesRead(bytes);
      statistics.incrementBytesReadByDistance(0, bytes);
    }
    JobCounter.add(bytes);
  }

  @Override
  public void together(int ranges) {
    JvmCounters.READS.vectoredRanges.add(ranges);
    JvmCounters.READS.vectoredTogether.accumulate(ranges);
  }

  @Override
  public void failed(Throwable accident) {
    JvmCounters.internalError(accident, file);
  }
}
