// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.read.SecondWay;
import io.rdio.hdfs.client.stock.StockReplicaReader;
import io.rdio.hdfs.client.way.BlockToRead;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Ranges of a block by its DataNodes, as stock HDFS reads them: each by a request of its own, over
 * the connection of the one before where that was read to its end. Safe for any number of threads.
 */
final class DataNodeRanges implements SecondWay {
  private final BlockToRead block;
  private final FirstReplica first;
  private volatile int networkDistance = Integer.MAX_VALUE;

  DataNodeRanges(BlockToRead block, FileMapSource maps) {
    this.block = block;
    this.first = new FirstReplica(maps);
  }

  @Override
  public Range open(long start, long end) {
    return new DataNodeRange(new StockReplicaReader(block.stock(), end, first));
  }

  /** As Hadoop counts it, to the DataNode last read from. */
  int networkDistance() {
    return networkDistance;
  }

  /** One of them. */
  private final class DataNodeRange implements Range {
    private final StockReplicaReader reader;

    DataNodeRange(StockReplicaReader reader) {
      this.reader = reader;
    }

    @Override
    public void read(long offset, ByteBuffer target) throws IOException {
      reader.readFully(offset, target);
      networkDistance = reader.networkDistance();
    }

    @Override
    public void close() {
      reader.close();
    }
  }
}
