// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import io.rdio.core.block.BlockKey;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** A number for each block, which blocks with like hash codes share. Thread-safe. */
final class Tickets {
  private static final int BITS = 10;

  private final AtomicIntegerArray tickets = new AtomicIntegerArray(1 << BITS);

  /** The ticket that is valid now. */
  int of(BlockKey block) {
    return tickets.get(stripe(block));
  }

  /** Makes all tickets of a block that were drawn before invalid. */
  void renew(BlockKey block) {
    tickets.incrementAndGet(stripe(block));
  }

  private static int stripe(BlockKey block) {
    return (block.hashCode() * 0x9E3779B9) >>> (Integer.SIZE - BITS);
  }
}
