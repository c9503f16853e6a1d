// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.route.LooksBeside;
import io.rdio.client.route.Router;
import io.rdio.client.route.Routers;
import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.way.BlockToRead;
import java.io.UncheckedIOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * A look at the device on a thread of its own, while a DataNode brings what is read: at what a read
 * by position wants, or at a little of what a run comes to next.
 */
final class LookBeside {
  /** Bytes of a run that are read, and of a read by position at most: for more, readers look. */
  static final int MOST = 1 << 20;

  private LookBeside() {}

  /**
   * Begins one if it is due, and there is somebody to make it. Waits for nothing.
   *
   * @param offset of what is about to be read
   * @param positional whether all of the block from there on is wanted by one read
   */
  static void mayBegin(
      Routing routing, Router router, BlockToRead block, long offset, boolean positional) {
    Executor threads = routing.threads();
    if (threads == null || !routing.routers().looksBeside()) {
      return;
    }
    int most = Math.min(MOST, routing.context().windows().largestWindow());
    long rest = block.length() - offset;
    boolean fits = positional ? rest > 0 && rest <= most : rest >= most;
    LooksBeside looks = router.beside();
    if (!fits || !looks.begin()) {
      return;
    }
    int count = (int) Math.min(rest, most);
    long at = positional ? offset : Math.min(offset + Routers.RUN_UNIT, block.length() - count);
    double part = positional ? 1 : (double) count / Routers.RUN_UNIT;
    boolean begun = false;
    try {
      threads.execute(() -> look(routing, looks, block, at, count, part));
      begun = true;
    } catch (RejectedExecutionException | UncheckedIOException e) {
      // All are busy, or nobody knows as whom to read: another time.
    } finally {
      if (!begun) {
        looks.left();
      }
    }
  }

  private static void look(
      Routing routing, LooksBeside looks, BlockToRead block, long at, int count, double part) {
    long took = 0;
    try {
      took = nanosOf(routing, block, at, count);
    } catch (FallbackException ignored) {
      // Whoever reads by the device finds out for himself, and says why.
    } finally {
      if (took > 0) {
        looks.took((long) ((double) took / part));
      } else {
        looks.left();
      }
    }
  }

  /** What it took; 0 if nothing was read. */
  private static long nanosOf(Routing routing, BlockToRead block, long at, int count)
      throws FallbackException {
    try (DeviceWay device = DeviceWay.openPositional(routing.looks().context(), block)) {
      long start = routing.now();
      boolean isRead = routing.looks().read(device.reader(), at, count);
      // A device that had to be opened is no slow one.
      long took = routing.now() - start - device.reader().searchNanos();
      device.askAboutSuspects(at, count);
      return isRead ? Math.max(1, took) : 0;
    }
  }
}
