// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.stock;

import io.rdio.client.filemap.BlockRequest;

/**
 * A block as stock HDFS reads it. Safe for any number of threads.
 *
 * @param source tells where it lies
 * @param opener opens readers of it
 */
public record StockBlock(
    StockBlockSource source, StockReplicaReader.Opener opener, BlockRequest request) {}
