// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A piece of code that runs on a thread of its own, but only while its owner waits for it: from one
 * {@link #pause} to the next. So an owner can put any number of them in any order it likes.
 *
 * @param <T> what the code makes in the end
 */
public final class Stepper<T> implements AutoCloseable {
  private static final long LIMIT_SECONDS = 60;

  private final FutureTask<T> task;
  private final Semaphore go = new Semaphore(0);
  private final Semaphore stopped = new Semaphore(0);
  private final AtomicBoolean free = new AtomicBoolean();
  private final Thread thread;
  private boolean started;

  /** Nothing runs before the first step. */
  public Stepper(Callable<T> code) {
    task =
        new FutureTask<>(code) {
          @Override
          protected void done() {
            stopped.release();
          }
        };
    thread = new Thread(task, "stepper");
    thread.setDaemon(true);
  }

  /** Called by the code itself: waits until the owner goes on. */
  public void pause() {
    if (!free.get()) {
      stopped.release();
      go.acquireUninterruptibly();
    }
  }

  /** Runs the code to its next pause, or to its end. */
  public void step() {
    if (task.isDone()) {
      return;
    }
    if (started) {
      go.release();
    } else {
      started = true;
      thread.start();
    }
    awaitStop();
  }

  public boolean isDone() {
    return task.isDone();
  }

  /** What the code made, running what is left of it without a pause. */
  public T finish() throws Exception {
    close();
    return task.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  private void awaitStop() {
    try {
      if (!stopped.tryAcquire(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("neither paused nor done after " + LIMIT_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Lets the code run to its end, and waits for it. */
  @Override
  public void close() {
    free.set(true);
    step();
  }
}
