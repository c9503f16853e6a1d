// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.thread.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A timer on a daemon thread of its own, which is there only while something is to be done. */
final class DaemonTimer implements PortOpener.Timer {
  private final ScheduledThreadPoolExecutor thread;

  DaemonTimer(String name) {
    thread =
        new ScheduledThreadPoolExecutor(
            1,
            new DaemonThreads(name),
            // What is asked for after the end is not done.
            new ThreadPoolExecutor.DiscardPolicy());
    thread.setKeepAliveTime(1, TimeUnit.SECONDS);
    thread.allowCoreThreadTimeOut(true);
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // tasks tell of their failures themselves
  public void after(Duration pause, Runnable task) {
    thread.schedule(task, pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
