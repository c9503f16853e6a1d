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
 * Threads that load maps while stock HDFS serves their first readers. Each load runs as the user
 * whose read needs it. Nothing waits in a queue: a map that is not loaded at once comes too late.
 */
final class BackgroundLoads implements Executor, AutoCloseable {
  private static final int MAX_THREADS = 16;
  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0,
          MAX_THREADS,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          new DaemonThreads("rdio-map-load"));

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
