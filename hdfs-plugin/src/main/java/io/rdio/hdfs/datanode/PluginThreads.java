// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.thread.DaemonThreads;
import io.rdio.datanode.allocate.WriteThreads;
import io.rdio.datanode.grant.GrantThreads;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The plugin's threads, apart from the server's: one that keeps the time and never waits, one that
 * asks HDFS, for each volume some that wait for its disk, and one for each Commit of a written
 * block. Idle ones of volumes end after a minute. After {@link #close} what is asked for is left to
 * the next start. Thread-safe.
 */
final class PluginThreads implements GrantThreads, WriteThreads, AutoCloseable {
  /** So many fsyncs at a time keep a disk busy. */
  private static final int PINNING = 8;

  /** Requests that wait for those; with a hung volume they are answered at their deadlines. */
  private static final int WAITING_MAX = 256;

  private static final RejectedExecutionHandler LEAVE_IT = new ThreadPoolExecutor.DiscardPolicy();

  private final ScheduledThreadPoolExecutor time = scheduled("rdio-time");
  private final ScheduledThreadPoolExecutor sweep = scheduled("rdio-sweep");
  private final Set<ThreadPoolExecutor> ofVolumes = ConcurrentHashMap.newKeySet();

  private static ScheduledThreadPoolExecutor scheduled(String name) {
    ScheduledThreadPoolExecutor threads =
        new ScheduledThreadPoolExecutor(1, new DaemonThreads(name), LEAVE_IT);
    threads.setRemoveOnCancelPolicy(true);
    threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return threads;
  }

  /** Has work done again and again that waits for nothing, whatever it throws. */
  @SuppressWarnings("FutureReturnValueIgnored") // it ends with the threads
  void often(Runnable work, long everyMillis) {
    time.scheduleWithFixedDelay(surviving(work), 0, everyMillis, TimeUnit.MILLISECONDS);
  }

  /** Has work done again and again that may wait for HDFS, whatever it throws. */
  @SuppressWarnings("FutureReturnValueIgnored") // it ends with the threads
  void sweeping(Runnable work, long everyMillis) {
    sweep.scheduleWithFixedDelay(surviving(work), 0, everyMillis, TimeUnit.MILLISECONDS);
  }

  /** The first throw would end the schedule. Work counts its failures itself, if it still can. */
  private static Runnable surviving(Runnable work) {
    return () -> {
      try {
        work.run();
      } catch (Throwable e) {
        // Out of memory on the way to whoever counts it: the next turn may have some.
      }
    };
  }

  @Override
  public Executor pinning(Path volumeRoot) {
    return ofVolume("rdio-pin", volumeRoot, PINNING, WAITING_MAX);
  }

  @Override
  public Executor allocating(Path volumeRoot) {
    return ofVolume("rdio-allocate", volumeRoot, PINNING, WAITING_MAX);
  }

  @Override
  public void commit(String name, Runnable work) {
    DaemonThreads.daemon(name, work).start();
  }

  @Override
  public Executor upkeep(Path volumeRoot) {
    return ofVolume("rdio-volume", volumeRoot, 1, Integer.MAX_VALUE);
  }

  private Executor ofVolume(String name, Path volumeRoot, int count, int waitingMax) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            count,
            count,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(waitingMax),
            new DaemonThreads(name + " " + volumeRoot));
    threads.allowCoreThreadTimeOut(true);
    ofVolumes.add(threads);
    return threads;
  }

  @Override
  public Runnable after(long nanos, Runnable work) {
    Future<?> timer = time.schedule(work, nanos, TimeUnit.NANOSECONDS);
    return () -> timer.cancel(false);
  }

  /** Waits for nobody: a thread may hang with its volume. */
  @Override
  public void close() {
    time.shutdown();
    sweep.shutdown();
    ofVolumes.forEach(ThreadPoolExecutor::shutdown);
  }
}
