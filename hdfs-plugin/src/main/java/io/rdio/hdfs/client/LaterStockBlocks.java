// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockRequest;
import io.rdio.hdfs.client.stock.StockBlockSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a pool for stock reads, with nothing made before the first: most accessors never
 * ask. Thread-safe.
 */
final class LaterStockBlocks implements StockBlockSource {
  private final ThinClient client;
  private final String poolId;
  private volatile @Nullable StockBlockSource made;

  LaterStockBlocks(ThinClient client, String poolId) {
    this.client = client;
    this.poolId = poolId;
  }

  private StockBlockSource blocks() throws IOException {
    StockBlockSource mine = made;
    if (mine == null) {
      try {
        mine = client.stockBlocksNow(poolId);
      } catch (FallbackException e) {
        throw new IOException(e.getMessage(), e);
      }
      made = mine;
    }
    return mine;
  }

  @Override
  public DFSClient client() throws IOException {
    return blocks().client();
  }

  @Override
  public Configuration configuration() {
    try {
      return blocks().configuration();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public LocatedBlock locate(BlockRequest request, boolean fresh) throws IOException {
    return blocks().locate(request, fresh);
  }
}
