// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import io.rdio.agent.daemon.SuspectReplicas;
import io.rdio.client.plane.FileMap;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.hdfs.client.stock.StockBlock;
import io.rdio.hdfs.client.stock.StockBlockSource;
import io.rdio.hdfs.client.stock.StockVerdict;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Has stock HDFS decide whether a suspect replica is corrupt, on a thread of its own, one after the
 * other. What is suspected while many wait is not looked at: whoever reads it next comes again.
 * Thread-safe.
 */
final class ReplicaVerdicts implements SuspectReplicas, AutoCloseable {
  private static final int MOST_WAITING = 100;

  private final Function<String, StockBlockSource> stockBlocks;
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          1,
          TimeUnit.MINUTES,
          new ArrayBlockingQueue<>(MOST_WAITING),
          new DaemonThreads("rdio-agent-verdict"),
          new ThreadPoolExecutor.DiscardPolicy());

  /**
   * @param stockBlocks where stock reads find the blocks of a pool
   */
  ReplicaVerdicts(Function<String, StockBlockSource> stockBlocks) {
    this.stockBlocks = stockBlocks;
    thread.allowCoreThreadTimeOut(true);
  }

  @Override
  public void found(BlockRequest request, FileMap suspect, long chunkAt) {
    thread.execute(() -> ask(request, suspect, chunkAt));
  }

  private void ask(BlockRequest request, FileMap suspect, long chunkAt) {
    StockBlockSource source = stockBlocks.apply(request.block().poolId());
    StockBlock block = new StockBlock(source, source.opener(request.fileName(), true), request);
    StockVerdict.ask(block, suspect.storageId(), suspect.device(), chunkAt, chunkAt + 1);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
