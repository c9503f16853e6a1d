// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.core.thread.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/**
 * The Commit of a full block, which goes on while its writer has the first bytes of the next one
 * kept. The block is nobody else's until it is over. For one thread at a time.
 */
final class BlockCommit implements Closeable {
  /** Of all writers of this process; one that finds none commits by itself. */
  static final Executor THREADS =
      new ThreadPoolExecutor(
          0,
          64,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          new DaemonThreads("rdio-block-commit"));

  private final OpenBlock block;
  private final FutureTask<ExtendedBlock> task;

  /** Begins it. */
  BlockCommit(OpenBlock block, Executor threads) {
    this.block = block;
    this.task = new FutureTask<>(block::commit);
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  /** Whether {@link #await} waits for nobody. */
  boolean isOver() {
    return task.isDone();
  }

  /**
   * Waits for it, also when interrupted: the agent answers, or is given up, within its time.
   *
   * @return the block, with its length
   * @throws IOException as {@link OpenBlock#commit}
   */
  ExtendedBlock await() throws IOException {
    boolean wasInterrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          wasInterrupted = true;
        }
      }
    } catch (ExecutionException e) {
      throw failure(e);
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static IOException failure(ExecutionException failed) {
    Throwable cause = failed.getCause();
    return cause instanceof IOException ? (IOException) cause : new IOException(cause);
  }

  /** Waits for it, and gives the block up unless it was committed. Idempotent. */
  @Override
  public void close() {
    try {
      await();
    } catch (IOException e) {
      // Who waited for it was told.
    } finally {
      block.close();
    }
  }
}
