// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.client.counters.ClientCounters;
import io.rdio.hdfs.client.stock.StockReplicaReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** By a DataNode, as stock HDFS does: where all other ways failed. Always fills the buffer. */
final class StockWay extends BufferWay {
  private final ClientCounters counters;
  private final BlockToRead block;

  // Made by the first read, so that one which was under way when the accessor was closed is served.
  private volatile @Nullable StockReplicaReader reader;

  StockWay(ClientCounters counters, BlockToRead block) {
    this.counters = counters;
    this.block = block;
  }

  @Override
  protected int read(long offset, ByteBuffer target) throws IOException {
    int count = target.remaining();
    reader().readFully(offset, target);
    counters.stockBytes.add(count);
    return count;
  }

  private StockReplicaReader reader() {
    StockReplicaReader made = reader;
    return made != null ? made : makeReader();
  }

  private synchronized StockReplicaReader makeReader() {
    StockReplicaReader made = reader;
    if (made == null) {
      made = new StockReplicaReader(block.stock(), block.length());
      reader = made;
    }
    return made;
  }

  @Override
  public boolean isByDevice() {
    return false;
  }

  @Override
  public int networkDistance() {
    StockReplicaReader made = reader;
    return made == null ? Integer.MAX_VALUE : made.networkDistance();
  }

  @Override
  public void close() {
    StockReplicaReader made = reader;
    if (made != null) {
      made.close();
    }
  }
}
