// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.PrivilegedAction;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Threads that load maps while stock HDFS serves their first readers. Each load runs as the user
 * whose read needs it. Nothing waits in a queue: a map that is not loaded at once comes too late.
 */
final class BackgroundLoads implements Executor, AutoCloseable {
  private static final int MAX_THREADS = 16;
  private static final long IDLE_SECONDS = 10;

  private final AtomicInteger started = new AtomicInteger();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), this::thread);

  private Thread thread(Runnable work) {
    Thread thread = new Thread(work, "rdio-map-load-" + started.incrementAndGet());
    thread.setDaemon(true);
    thread.setContextClassLoader(BackgroundLoads.class.getClassLoader());
    return thread;
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
