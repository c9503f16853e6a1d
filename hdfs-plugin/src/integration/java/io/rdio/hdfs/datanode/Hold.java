// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A point at which threads of this JVM wait until the test lets them go on. */
final class Hold {
  private static final long PATIENCE_SECONDS = 60;

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile @Nullable Thread thread;

  /** Called at the point: waits, unless it was released. */
  void pass() {
    if (released.getCount() > 0) {
      thread = Thread.currentThread();
      reached.countDown();
      await(released);
    }
  }

  /** Returns when somebody waits there. */
  void awaitReached() {
    await(reached);
  }

  void release() {
    released.countDown();
  }

  /** Whether who was held here waits in a method of a class now. */
  boolean waitsIn(Class<?> type, String method) {
    Thread held = thread;
    if (held == null || held.getState() != Thread.State.WAITING) {
      return false;
    }
    for (StackTraceElement frame : held.getStackTrace()) {
      if (frame.getClassName().equals(type.getName()) && frame.getMethodName().equals(method)) {
        return true;
      }
    }
    return false;
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("waited for " + PATIENCE_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
