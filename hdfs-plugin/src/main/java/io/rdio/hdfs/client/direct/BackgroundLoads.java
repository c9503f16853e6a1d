// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.core.thread.DaemonThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.PrivilegedAction;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Threads that load what nobody waits for: maps while stock HDFS serves their first readers, or
 * what a DataNode brings of a run while the device reads. Each load runs as the user whose read
 * needs it. Nothing waits in a queue: what is not loaded at once comes too late.
 */
final class BackgroundLoads implements Executor, AutoCloseable {
  private static final int MAX_THREADS = 16;
  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor threads;

  /**
   * @param name of the threads
   */
  BackgroundLoads(String name) {
    this.threads =
        new ThreadPoolExecutor(
            0,
            MAX_THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new DaemonThreads(name));
  }

  /**
   * @throws RejectedExecutionException when all threads are busy, or after the close
   */
  @Override
  public void execute(Runnable load) {
    UserGroupInformation user;
    try {
      user = UserGroupInformation.getCurrentUser();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.execute(
        () ->
            user.doAs(
                (PrivilegedAction<Void>)
                    () -> {
                      load.run();
                      return null;
                    }));
  }

  /** Interrupts what is under way. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
