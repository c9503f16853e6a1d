// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;

/**
 * Reads of which nobody wants the bytes: they are to say how long the device takes. Guarded and
 * verified as all are; past the block data cache, to memory of the pool for as long as they take,
 * and not among what readers got. Safe for any number of threads.
 */
public final class UnwantedReads {
  private final ReadContext context;

  /**
   * @param of readers of the same devices
   */
  public UnwantedReads(ReadContext of) {
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
   * Reads some bytes.
   *
   * @param by opened by {@link #context}, for reads that have nothing to do with each other
   * @param count at most {@link WindowPool#largestWindow}
   * @return false if nothing was read: no map is here, or memory is scarce
   */
  public boolean read(ExtentReader by, long offset, int count) throws FallbackException {
    ReadWindow memory = context.windows().tryBorrow(count, count);
    if (memory == null) {
      return false;
    }
    try {
      // Nobody writes to it any more behind the read: where one may be given up it is copied to.
      return by.readMapped(offset, memory.memory().duplicate().clear(), 0, count);
    } finally {
      memory.release();
    }
  }
}
