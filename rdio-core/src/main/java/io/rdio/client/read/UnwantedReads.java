// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import java.util.concurrent.Semaphore;

/**
 * Reads of which nobody wants the bytes: they are to say how long the device takes. Guarded and
 * verified as all are; past the block data cache, to memory of the pool for as long as they take,
 * and not among what readers got. They take no memory or queue that a reader might want, and few
 * threads. Safe for any number of threads.
 */
public final class UnwantedReads {
  /** At a time: each has a thread, which a device that hangs keeps as long as it keeps a reader. */
  static final int MOST = 4;

  private final ReadContext readers;
  private final ReadContext context;
  private final Semaphore places = new Semaphore(MOST);

  /**
   * @param of readers of the same devices
   */
  public UnwantedReads(ReadContext of) {
    this.readers = of;
    this.context =
        new ReadContext(
            of.maps(),
            of.devices(),
            of.windows(),
            of.readAheads(),
            of.clock(),
            new ClientCounters(),
            null,
            of.blocksAhead());
  }

  /** What their readers are opened by. */
  public ReadContext context() {
    return context;
  }

  /**
   * Takes one of few places for who is to have a thread read; {@link #end} must follow, once.
   *
   * @return false if there is none, and nobody is to wait for one
   */
  public boolean begin() {
    return places.tryAcquire();
  }

  /** Gives the place back. */
  public void end() {
    places.release();
  }

  /**
   * Reads some bytes.
   *
   * @param by opened by {@link #context()}, for reads that have nothing to do with each other
   * @param count at most {@link WindowPool#largestWindow}
   * @return false if nothing was read: no map is here, or memory or queues are scarce
   */
  public boolean read(ExtentReader by, long offset, int count) throws FallbackException {
    boolean isScarce =
        context.readAheads().isScarce() || context.windows().keepable(count, 0) < count;
    ReadWindow memory = isScarce ? null : context.windows().tryBorrow(count, count);
    if (memory == null) {
      return false;
    }
    try {
      // Nobody writes to it any more behind the read: where one may be given up it is copied to.
      return by.readMapped(offset, memory.memory().duplicate().clear(), 0, count);
    } finally {
      memory.release();
      countForReaders();
    }
  }

  /** What was found to be wrong is so for them, too. */
  private void countForReaders() {
    ClientCounters found = context.counters();
    readers.counters().staleMaps.add(found.staleMaps.sumThenReset());
    readers.counters().checksumMismatches.add(found.checksumMismatches.sumThenReset());
  }
}
