// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.thread.DaemonLoop;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a log's regions opened and written, by a thread of its own, the only one that writes to the
 * file. What goes wrong with that ends the log. The file is closed with this.
 */
final class RegionWriter {
  private static final Logger LOG = LoggerFactory.getLogger(RegionWriter.class);

  /** The first bytes of the file are its header. */
  static final int HEADER_BYTES = Region.BYTES;

  private final FlashFile file;
  private final SharedLog log;
  private final ClientCounters counters;
  private final DaemonLoop loop;

  RegionWriter(FlashFile file, SharedLog log, ClientCounters counters) {
    this.file = file;
    this.log = log;
    this.counters = counters;
    this.loop = new DaemonLoop("rdio-flash", this::step, new LongAdder());
  }

  /** To be called once. */
  void start() {
    turn(); // the first region waits for no device, so the first chunk need not come later
    loop.start();
  }

  private void step() throws InterruptedException {
    log.awaitWork();
    turn();
  }

  /**
   * Opens one region or writes one, whichever is more urgent; for one thread.
   *
   * @return whether there was anything to do
   */
  boolean turn() {
    boolean ended = false;
    try {
      boolean done = openRegion() || writeRegion();
      ended = true;
      return done;
    } catch (IOException e) {
      ended = true;
      fail(e);
      return false;
    } finally {
      if (!ended) {
        fail(null); // thrown, and logged where it is caught
      }
    }
  }

  private boolean openRegion() throws IOException {
    Region region = log.toOpen();
    if (region == null) {
      return false;
    }
    RegionLog.Kept kept = log.hit();
    if (kept.slots().length > 0) {
      file.read(offset(kept.region()), region.bytes());
      for (int i = 0; i < kept.slots().length; i++) {
        region.move(kept.slots()[i], i);
      }
    }
    log.open(kept);
    return true;
  }

  private boolean writeRegion() throws IOException {
    Region region = log.full();
    if (region == null) {
      return false;
    }
    file.write(offset(region.number()), region.bytes());
    log.written();
    counters.dataCacheFlashWrittenBytes.add(Region.BYTES);
    return true;
  }

  private static long offset(int region) {
    return HEADER_BYTES + (long) region * Region.BYTES;
  }

  /** Switches the tier off, by whoever met an error with its file; null if it is logged already. */
  void fail(@Nullable IOException failure) {
    if (end()) {
      counters.dataCacheFlashFailures.increment();
      LOG.warn(
          "RDIO: the flash tier of the block data cache is off until the next start, after an error"
              + " with {}; reads go on without it",
          file.name(),
          failure);
    }
  }

  /** False if it had ended before. */
  private boolean end() {
    loop.end();
    return log.end();
  }

  /**
   * Ends the log and lets go of the file when the thread has ended; but leaves the file as it is
   * where a write does not end, for that goes on.
   *
   * @param nanos bound of the wait
   */
  void close(long nanos) {
    end();
    boolean interrupted = Thread.interrupted(); // would close the file before it is emptied
    try {
      boolean ended = false;
      long deadline = System.nanoTime() + nanos;
      for (long left = nanos; !ended && left > 0; left = deadline - System.nanoTime()) {
        try {
          ended = loop.awaitEnd(1 + TimeUnit.NANOSECONDS.toMillis(left));
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      closeFile(ended);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** An interrupt of the thread would close the channel that it writes to. */
  private void closeFile(boolean ended) {
    if (ended) {
      file.close();
    } else {
      LOG.warn(
          "RDIO: a write to the flash tier's file {} does not end; the file is left as it is until"
              + " this process ends",
          file.name());
    }
  }
}
