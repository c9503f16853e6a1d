// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.thread.DaemonThreads;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link ReadAhead}s whose reads nobody waits for any more: kept, with the windows that the
 * kernel may still write to, until it has ended the last read of each. A thread that lives no
 * longer than that looks for it.
 *
 * <p>Safe for any number of threads. Nobody waits here.
 */
final class AbandonedReadAheads {
  private static final long LOOK_EVERY_MILLIS = 20;
  private static final long THREAD_IDLE_SECONDS = 1;

  private static final Logger LOG = LoggerFactory.getLogger(AbandonedReadAheads.class);

  private final Consumer<ReadAhead> whenEnded;
  private final ConcurrentLinkedQueue<ReadAhead> underWay = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicBoolean awaited = new AtomicBoolean();
  private final ScheduledThreadPoolExecutor thread;

  /**
   * @param whenEnded takes each one over, empty
   */
  AbandonedReadAheads(Consumer<ReadAhead> whenEnded) {
    this.whenEnded = whenEnded;
    this.thread = new ScheduledThreadPoolExecutor(1, new DaemonThreads("rdio-abandoned-reads"));
    thread.setKeepAliveTime(THREAD_IDLE_SECONDS, TimeUnit.SECONDS);
    thread.allowCoreThreadTimeOut(true);
  }

  /** How many have reads under way. */
  int size() {
    return size.get();
  }

  /** Takes one over. */
  void add(ReadAhead ahead) {
    size.incrementAndGet();
    underWay.add(ahead);
    if (awaited.compareAndSet(false, true)) {
      lookLater();
    }
  }

  /** Runs short work of the pool's own here: nothing that waits. */
  void execute(Runnable work) {
    thread.execute(work);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // lookAtAll() ends well, whatever happens
  private void lookLater() {
    boolean scheduled = false;
    try {
      thread.schedule(this::lookAtAll, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
      scheduled = true;
    } finally {
      if (!scheduled) {
        awaited.set(false); // no thread was to be had; the next one that is added tries again
      }
    }
  }

  private void lookAtAll() {
    try {
      for (int i = size.get(); i > 0; i--) {
        ReadAhead ahead = underWay.poll();
        if (ahead != null) {
          lookAt(ahead);
        }
      }
    } finally {
      awaited.set(false);
      if (size.get() > 0 && awaited.compareAndSet(false, true)) {
        lookLater();
      }
    }
  }

  private void lookAt(ReadAhead ahead) {
    boolean ended = false;
    try {
      ended = ahead.poll();
    } catch (Throwable e) {
      // It stays here, and so does its memory: the others' must not depend on it.
      LOG.warn("RDIO cannot tell whether reads that it gave up have ended; it looks again", e);
    }
    if (!ended) {
      underWay.add(ahead);
      return;
    }
    size.decrementAndGet();
    whenEnded.accept(ahead);
  }
}
