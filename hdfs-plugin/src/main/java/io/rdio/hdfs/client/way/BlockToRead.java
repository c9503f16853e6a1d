// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.core.block.BlockRequest;
import io.rdio.hdfs.client.stock.StockBlock;
import io.rdio.hdfs.client.stock.StockBlockSource;

/** A block as Hadoop wants it read. Safe for any number of threads. */
public final class BlockToRead {
  private final BlockRequest request;
  private final boolean verifyChecksum;
  private final long length;
  private final StockBlockSource stockSource;

  /**
   * @param length where the caller stops reading, in bytes from the block's start: the end of the
   *     block or, for a positional read, of its range
   * @param stockSource asked only when stock HDFS reads some of it
   */
  public BlockToRead(
      BlockRequest request, boolean verifyChecksum, long length, StockBlockSource stockSource) {
    this.request = request;
    this.verifyChecksum = verifyChecksum;
    this.length = length;
    this.stockSource = stockSource;
  }

  /** Which one. */
  public BlockRequest request() {
    return request;
  }

  /** Whether the caller wants its checksums looked at. */
  public boolean verifyChecksum() {
    return verifyChecksum;
  }

  /** Where the caller stops reading, in bytes from the block's start. */
  public long length() {
    return length;
  }

  /** The same block for a caller who stops elsewhere. */
  public BlockToRead upTo(long end) {
    return new BlockToRead(request, verifyChecksum, end, stockSource);
  }

  /** As stock HDFS reads it. */
  public StockBlock stock() {
    return new StockBlock(
        stockSource, stockSource.opener(request.fileName(), verifyChecksum), request);
  }
}
