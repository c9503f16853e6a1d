// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.client.filemap.BlockRequest;
import io.rdio.hdfs.client.stock.StockBlock;
import io.rdio.hdfs.client.stock.StockBlockSource;

/**
 * A block as Hadoop wants it read. Safe for any number of threads.
 *
 * @param length where the caller stops reading, in bytes from the block's start: the end of the
 *     block or, for a positional read, of its range
 * @param stockSource asked only when stock HDFS reads some of it
 */
public record BlockToRead(
    BlockRequest request, boolean verifyChecksum, long length, StockBlockSource stockSource) {

  /** As stock HDFS reads it. */
  StockBlock stock() {
    return new StockBlock(
        stockSource, stockSource.opener(request.fileName(), verifyChecksum), request);
  }
}
