// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.datanode.allocate.WriteFaultInjector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Does something once, at one step of an Allocate or a Commit, in a DataNode of this JVM. */
final class WriteStep extends EachWriteStep {
  private final String step;
  private final Runnable what;

  /**
   * @param step name of the injector's method
   * @param what runs on the step's thread, and may throw
   */
  WriteStep(String step, Runnable what) {
    this.step = step;
    this.what = what;
  }

  /** Waits until the calling thread is interrupted, which it stays. */
  static void untilInterrupted() {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!Thread.currentThread().isInterrupted()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("nobody interrupts this commit");
      }
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  @Override
  protected void at(String now) {
    if (now.equals(step)) {
      WriteFaultInjector.set(new WriteFaultInjector());
      what.run();
    }
  }
}
