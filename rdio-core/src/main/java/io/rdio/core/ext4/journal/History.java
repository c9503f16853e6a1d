// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which blocks the committed transactions wrote or revoked, and when last, back to the last gap.
 * Positions count transactions and gaps from 0 on. Written by one thread at a time, read by any.
 *
 * <p>Invariant: what was done to a block up to {@link #now} is in {@code last}, or lies before
 * {@code knownFrom}.
 */
final class History {
  /** Blocks that are remembered; more of them make a gap. */
  static final int MAX_BLOCKS = 1 << 18;

  private final Map<Long, Long> last = new ConcurrentHashMap<>();
  private volatile long knownFrom;
  private volatile long now;

  long now() {
    return now;
  }

  void took(LogScanner.Transaction transaction) {
    Long position = now + 1;
    for (LogScanner.Copy copy : transaction.copies()) {
      last.put(copy.tag().home(), position);
    }
    for (Long block : transaction.revoked()) {
      last.put(block, position);
    }
    now = position;
    if (last.size() > MAX_BLOCKS) {
      gap();
    }
  }

  /** Nobody knows what happened between the last transaction and the next one. */
  void gap() {
    long position = now + 1;
    // First this: who finds a block gone reads it afterwards.
    knownFrom = position;
    last.clear();
    now = position;
  }

  /** Whether nothing behind a position wrote or revoked a block; false if that is not known. */
  boolean isUntouched(long block, long since) {
    Long at = last.get(block);
    return (at == null || at <= since) && knownFrom <= since;
  }
}
