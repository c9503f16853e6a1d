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
 * Opens and probes devices on threads of its own, so that one that hangs costs whoever looks at it
 * a deadline, once, and afterwards nothing: the thread that waits for the kernel stands for the
 * device until it comes back. Memory that is read to belongs to that thread's look and is not used
 * by anybody else. Safe for any number of threads.
 */
final class DeviceLooks {
  /** So many devices of a host may hang before the others are not looked at any more. */
  static final int THREADS_MAX = 16;

  private static final long THREAD_IDLE_SECONDS = 5;

  /** What is to be done with a device. */
  @FunctionalInterface
  interface Look<T> {
    T at() throws FallbackException;
  }

  private final Duration timeout;
  private final ConcurrentHashMap<String, FutureTask<?>> late = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0,
          THREADS_MAX,
          THREAD_IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          new DaemonThreads("rdio-device-look"));

  /**
   * @param timeout of each look; zero to look here and now, for as long as it takes
   */
  DeviceLooks(Duration timeout) {
    this.timeout = timeout;
  }

  /**
   * Looks at a device.
   *
   * @throws FallbackException DEVICE_TIMEOUT if it does not answer, or did not some time ago and
   *     still owes that answer; INTERRUPTED with the thread's interrupt flag set; or what the look
   *     itself came to
   */
  <T> T look(String device, Look<T> look) throws FallbackException {
    if (timeout.isZero()) {
      return look.at();
    }
    FutureTask<?> earlier = late.get(device);
    if (earlier != null && !earlier.isDone()) {
      throw refusal(device + " is not looked at: it still owes an answer");
    }
    late.remove(device);
    FutureTask<T> task = new FutureTask<>(look::at);
    try {
      threads.execute(task);
      return task.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      throw refusal(device + " is not looked at: " + THREADS_MAX + " others have not answered yet");
    } catch (TimeoutException e) {
      late.put(device, task);
      throw refusal(
          device
              + " has not answered within "
              + Setting.READ_TIMEOUT
              + ", "
              + timeout.toMillis()
              + " ms");
    } catch (InterruptedException e) {
      late.put(device, task);
      Thread.currentThread().interrupt();
      throw new FallbackException(FallbackReason.INTERRUPTED, "looking at " + device);
    } catch (ExecutionException e) {
      throw failure(device, e);
    }
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
