// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.stock;

import io.rdio.core.block.BlockRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a replica is corrupt, which stock HDFS alone decides: bytes that its DataNode sends and
 * that do not match their checksum are what a stock reader reports to the NameNode. Without it a
 * corrupt replica would stay unknown, and not be replaced, while RDIO reads a good one.
 */
public final class StockVerdict {
  private static final Logger LOG = LoggerFactory.getLogger(StockVerdict.class);
  private static final int PIECE = 64 << 10;

  private StockVerdict() {}

  /**
   * Reads a range of the very replica that a map is of as stock HDFS does, and reports it if that
   * fails its checksum too. Whatever else fails leaves everything as it is.
   *
   * @param storageId of the storage that the replica is on
   * @param device as which it was read, for people
   * @param from first byte of the block
   * @param to behind the last one
   */
  public static void ask(StockBlock block, String storageId, Object device, long from, long to) {
    BlockRequest request = block.request();
    try {
      LocatedBlock located = block.source().locate(request, false);
      String[] storages = located.getStorageIDs();
      int replica = storages == null ? -1 : Arrays.asList(storages).indexOf(storageId);
      if (replica < 0) {
        return; // the NameNode does not count on it any more
      }
      LOG.warn(
          "{} of {} does not match its checksum on {}; its DataNode {} is asked for it",
          request.block(),
          request.fileName(),
          device,
          located.getLocations()[replica]);
      try {
        readThrough(block.opener().open(located, replica, from, to - from));
      } catch (ChecksumException corrupt) {
        report(block.source(), located.getBlock(), located.getLocations()[replica]);
      }
    } catch (IOException | RuntimeException e) {
      LOG.info("No verdict about {} on {}", request.block(), storageId, e);
    }
  }

  private static void readThrough(BlockReader reader) throws IOException {
    try {
      ByteBuffer piece = ByteBuffer.allocate(PIECE);
      while (reader.read(piece) > 0) {
        piece.clear();
      }
    } finally {
      reader.close();
    }
  }

  /** Tells the NameNode of a replica that a stock reader found corrupt. */
  static void report(StockBlockSource source, ExtendedBlock block, DatanodeInfo... dataNodes) {
    try {
      source.reportCorrupt(block, dataNodes);
      LOG.warn("{} on {} is corrupt; the NameNode was told", block, Arrays.toString(dataNodes));
    } catch (IOException e) {
      LOG.info("{} on {} is corrupt", block, Arrays.toString(dataNodes), e);
    }
  }
}
