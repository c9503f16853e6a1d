// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.client.read.TransferBlock;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The blocks that one process has open, by the handles that it has for them. Safe for any number of
 * threads; a lookup takes no lock.
 *
 * <p>A handle has the place in its low half and in its high half how often the place was given out,
 * so one that was closed is never taken for another block.
 */
final class OpenBlocks {
  private static final int PLACE_BITS = 16;

  /**
   * One open block: what it is, and the last millisecond in which its reader may read it. By HDFS a
   * token is good in its last one, too: who is refused here must not be let in by OPEN again.
   */
  record Open(int handle, TransferBlock block, long rightUntilMillis) {}

  private final AtomicReferenceArray<@Nullable Open> places;
  private final LongSupplier wallMillis;

  /** Guards giving out and taking back. */
  private final Object lock = new Object();

  private final int[] given;
  private int next;

  /**
   * @param most blocks, at most 65536
   * @param wallMillis milliseconds since 1970
   */
  OpenBlocks(int most, LongSupplier wallMillis) {
    this.places = new AtomicReferenceArray<>(most);
    this.given = new int[most];
    this.wallMillis = wallMillis;
  }

  /** Gives a handle out. */
  int add(TransferBlock block, long rightUntilMillis) throws FallbackException {
    synchronized (lock) {
      for (int i = 0; i < given.length; i++) {
        int place = (next + i) % given.length;
        if (places.get(place) == null) {
          next = place + 1;
          int handle = ++given[place] << PLACE_BITS | place;
          places.set(place, new Open(handle, block, rightUntilMillis));
          return handle;
        }
      }
    }
    throw new FallbackException(
        FallbackReason.AGENT_BUSY, "the process has " + given.length + " blocks open");
  }

  /**
   * The block of a handle, which its reader may read now.
   *
   * @throws FallbackException LEASE_EXPIRED where it is not open, or its token has expired since it
   *     was opened: to be opened anew, which shows whether there is a right to
   */
  TransferBlock get(int handle) throws FallbackException {
    int place = handle & (1 << PLACE_BITS) - 1;
    Open open = place < places.length() ? places.get(place) : null;
    if (open == null || open.handle() != handle) {
      throw new FallbackException(FallbackReason.LEASE_EXPIRED, "no block is open by " + handle);
    }
    if (wallMillis.getAsLong() > open.rightUntilMillis()) {
      throw new FallbackException(
          FallbackReason.LEASE_EXPIRED, open.block() + ": the right to read it has run out");
    }
    return open.block();
  }

  /** Takes a handle back; one that is not given out is ignored. */
  void close(int handle) {
    int place = handle & (1 << PLACE_BITS) - 1;
    synchronized (lock) {
      Open open = place < places.length() ? places.get(place) : null;
      if (open != null && open.handle() == handle) {
        places.set(place, null);
      }
    }
  }
}
