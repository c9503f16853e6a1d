// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.thread.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks at devices (opens, probes, reads, asks them) on threads of its own, so that one that hangs
 * costs whoever looks at it a deadline, once, and afterwards nothing: the thread that waits for the
 * kernel stands for the device until it comes back. Memory that is read to belongs to that thread's
 * look and is not used by anybody else. Safe for any number of threads.
 */
public final class DeviceLooks {
  /** So many devices of a host may hang before the others are not looked at any more. */
  static final int THREADS_MAX = 16;

  private static final long THREAD_IDLE_SECONDS = 5;

  /** What is to be done with a device. */
  @FunctionalInterface
  public interface Look<T> {
    T at() throws FallbackException;
  }

  private final Duration timeout;
  private final ConcurrentHashMap<String, Owed> late = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0,
          THREADS_MAX,
          THREAD_IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          new DaemonThreads("rdio-device-look"));

  /**
   * A look that nobody waits for any more.
   *
   * @param isOverdue whether it has taken too long; else who waited for it was interrupted, which
   *     says nothing of the device
   */
  private record Owed(FutureTask<?> task, boolean isOverdue) {}

  /**
   * @param timeout of each look; zero to look here and now, for as long as it takes
   */
  public DeviceLooks(Duration timeout) {
    this.timeout = timeout;
  }

  /**
   * Looks at a device. Where another thread was interrupted while it looked, this waits for that
   * look to end first, once more for as long.
   *
   * @throws FallbackException DEVICE_TIMEOUT if it does not answer, or did not some time ago and
   *     still owes that answer; INTERRUPTED with the thread's interrupt flag set; or what the look
   *     itself came to
   */
  public <T> T look(String device, Look<T> look) throws FallbackException {
    if (timeout.isZero()) {
      return look.at();
    }
    requireAnswered(device);
    FutureTask<T> task = new FutureTask<>(look::at);
    try {
      threads.execute(task);
      return task.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      throw refusal(device + " is not looked at: " + THREADS_MAX + " others have not answered yet");
    } catch (TimeoutException e) {
      late.put(device, new Owed(task, true));
      throw refusal(
          device
              + " has not answered within "
              + Setting.READ_TIMEOUT
              + ", "
              + timeout.toMillis()
              + " ms");
    } catch (InterruptedException e) {
      late.putIfAbsent(device, new Owed(task, false));
      throw interrupted(device);
    } catch (ExecutionException e) {
      throw failure(device, e);
    }
  }

  private void requireAnswered(String device) throws FallbackException {
    Owed owed = late.get(device);
    if (owed == null) {
      return;
    }
    try {
      if (!owed.isOverdue()) {
        owed.task().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      }
    } catch (TimeoutException e) {
      late.replace(device, owed, new Owed(owed.task(), true));
    } catch (InterruptedException e) {
      throw interrupted(device);
    } catch (ExecutionException e) {
      // It has answered, to nobody.
    }
    if (!owed.task().isDone()) {
      throw refusal(device + " is not looked at: it still owes an answer");
    }
    late.remove(device, owed);
  }

  /** Whether a look is under way that nobody waits for any more. */
  boolean isOwed() {
    return late.values().stream().anyMatch(owed -> !owed.task().isDone());
  }

  private static FallbackException interrupted(String device) {
    Thread.currentThread().interrupt();
    return new FallbackException(FallbackReason.INTERRUPTED, "looking at " + device);
  }

  private static FallbackException failure(String device, ExecutionException failed) {
    return failed.getCause() instanceof FallbackException refused
        ? refused
        : new FallbackException(FallbackReason.INTERNAL_ERROR, "looking at " + device, failed);
  }

  private static FallbackException refusal(String detail) {
    return new FallbackException(FallbackReason.DEVICE_TIMEOUT, detail);
  }
}
