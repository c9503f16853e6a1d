// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import io.rdio.core.thread.DaemonLoop;
import io.rdio.exclusive.prefcache.PrefetchQueue.Run;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that prefetches, load-aware: only while the device has few requests of compute nodes
 * to serve, for whom prefetching must not make it slower. While it is busy runs wait, and when too
 * many do, new ones are given up.
 */
final class Prefetcher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Prefetcher.class);
  private static final long IDLE_MILLIS = 1000;
  private static final long BUSY_MILLIS = 1;

  private final PrefCache cache;
  private final DeviceLoad load;
  private final int maxQueueLength;
  private final LongAdder pauses = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final DaemonLoop loop = new DaemonLoop("rdio-prefetch", this::step, failures);

  /**
   * Not started.
   *
   * @param maxQueueLength requests of compute nodes under way on a device up to which is prefetched
   */
  Prefetcher(PrefCache cache, DeviceLoad load, int maxQueueLength) {
    this.cache = cache;
    this.load = load;
    this.maxQueueLength = maxQueueLength;
  }

  void start() {
    loop.start();
  }

  private void step() throws InterruptedException {
    Run next = cache.awaitRun(IDLE_MILLIS);
    if (next == null) {
      return;
    }
    if (load.queueLength(next.device()) > maxQueueLength) {
      pauses.increment();
      TimeUnit.MILLISECONDS.sleep(BUSY_MILLIS);
      return;
    }
    try {
      cache.prefetchNext();
    } catch (IOException e) {
      if (failures.sum() == 0) {
        LOG.warn("PrefCache could not prefetch; further failures are only counted", e);
      }
      failures.increment();
    }
  }

  /** Times that it found the device busy and waited. */
  long pauses() {
    return pauses.sum();
  }

  /** Runs that the device failed, and errors of its own. */
  long failures() {
    return failures.sum();
  }

  /** Returns when nothing is being prefetched any more, or a device holds it up for too long. */
  @Override
  public void close() {
    loop.close();
  }
}
