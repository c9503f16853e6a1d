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
  private final Maker maker;
  private volatile @Nullable StockBlockSource made;

  /** Makes them when they are needed. */
  @FunctionalInterface
  interface Maker {
    /**
     * They; may be asked by several threads, the last of which is then asked for all.
     *
     * @throws FallbackException why there are none; it is asked again then
     */
    StockBlockSource make() throws FallbackException;
  }

  LaterStockBlocks(Maker maker) {
    this.maker = maker;
  }

  private StockBlockSource blocks() throws IOException {
    StockBlockSource mine = made;
    if (mine == null) {
      try {
        mine = maker.make();
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
