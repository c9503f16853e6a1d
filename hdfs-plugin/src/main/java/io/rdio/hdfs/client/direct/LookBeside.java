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
 * by position wants, or at a little of what a run comes to next. None where the block data cache
 * has some of what readers ask the device for: it would say nothing of them.
 *
 * @param beside of the reads that it is beside; told how it went, once
 * @param at where in the block it reads
 * @param part that this is of a whole read, or unit of a run
 */
record LookBeside(
    Routing routing, LooksBeside beside, BlockToRead block, long at, int count, double part)
    implements Runnable {
  /** Bytes of a run that are read, and of a read by position at most: for more, readers look. */
  static final int MOST = 1 << 20;

  /**
   * Begins one if it is due, and there is somebody to make it. Waits for nothing.
   *
   * @param offset of what is about to be read
   * @param positional whether all of the block from there on is wanted by one read
   */
  static void mayBegin(
      Routing routing, Router router, BlockToRead block, long offset, boolean positional) {
    Executor threads = routing.threads();
    boolean may = routing.routers().looksBeside() && routing.context().dataCache() == null;
    if (threads == null || !may) {
      return;
    }
    int most = Math.min(MOST, routing.context().windows().largestWindow());
    long rest = block.length() - offset;
    boolean fits = positional ? rest > 0 && rest <= most : rest >= most;
    LooksBeside beside = router.beside();
    if (!fits || !beside.begin()) {
      return;
    }
    int count = (int) Math.min(rest, most);
    long at = positional ? offset : Math.min(offset + Routers.RUN_UNIT, block.length() - count);
    double part = positional ? 1 : (double) count / Routers.RUN_UNIT;
    new LookBeside(routing, beside, block, at, count, part).begin(threads);
  }

  private void begin(Executor threads) {
    boolean hasPlace = routing.looks().begin();
    boolean begun = false;
    try {
      if (hasPlace) {
        threads.execute(this);
        begun = true;
      }
    } catch (RejectedExecutionException | UncheckedIOException e) {
      // All are busy, or nobody knows as whom to read: a reader looks.
    } finally {
      if (!begun) {
        if (hasPlace) {
          routing.looks().end();
        }
        beside.left();
      }
    }
  }

  @Override
  public void run() {
    long begun = routing.now();
    long took = 0;
    boolean failed = false;
    try {
      took = deviceNanos();
    } catch (FallbackException e) {
      failed = isOfTheDevice(e); // whoever reads by it finds out for himself, and says why
    } finally {
      routing.looks().end();
      if (took > 0) {
        beside.took((long) ((double) took / part));
      } else if (failed) {
        beside.failed(routing.now() - begun);
      } else {
        beside.left();
      }
    }
  }

  /** What it took; 0 if nothing was read. */
  private long deviceNanos() throws FallbackException {
    if (!routing.context().maps().holds(block.request().block())) {
      return 0; // nobody is to grant one for this
    }
    try (DeviceWay device = DeviceWay.openPositional(routing.looks().context(), block)) {
      long start = routing.now();
      boolean isRead = routing.looks().read(device.reader(), at, count);
      // A device that had to be opened is no slow one.
      long took = routing.now() - start - device.reader().searchNanos();
      device.askAboutSuspects(at, count);
      return isRead ? Math.max(1, took) : 0;
    }
  }

  /** Whether it says that the device failed, or hangs, and not its map, block or host. */
  private static boolean isOfTheDevice(FallbackException why) {
    return switch (why.reason().policy().mapVerdict()) {
      case DEVICE_FAILED, DEVICE_HANGS -> true;
      case STANDS, USELESS_HERE, GREW_OLD, SUSPECT -> false;
    };
  }
}
