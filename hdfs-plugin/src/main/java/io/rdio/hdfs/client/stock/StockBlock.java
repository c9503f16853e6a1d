// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.stock;

import io.rdio.core.block.BlockRequest;

/** A block as stock HDFS reads it. Safe for any number of threads. */
public final class StockBlock {
  private final StockBlockSource source;
  private final StockReplicaReader.Opener opener;
  private final BlockRequest request;

  /**
   * @param source tells where it lies
   * @param opener opens readers of it
   */
  public StockBlock(
      StockBlockSource source, StockReplicaReader.Opener opener, BlockRequest request) {
    this.source = source;
    this.opener = opener;
    this.request = request;
  }

  /** Tells where it lies. */
  public StockBlockSource source() {
    return source;
  }

  /** Opens readers of it. */
  public StockReplicaReader.Opener opener() {
    return opener;
  }

  /** Which one. */
  public BlockRequest request() {
    return request;
  }
}
