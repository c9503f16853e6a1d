// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.block.BlockRequest;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The replicas of one block that are read by beside a reader's own, as far as they are known. It is
 * looked for them at each ask at first, while their maps are on their way, and now and then later.
 *
 * <p>Safe for any number of threads; of looks at the same moment some may not be counted.
 */
final class ReplicasBeside {
  private static final int LOOKS_AT_FIRST = 32;
  private static final int LOOK_EVERY = 64;

  private final ReadContext context;
  private final BlockRequest request;
  private final boolean verify;
  private final long length;
  private volatile MappedReplica[] known = ReplicaSpread.NONE;
  private volatile int looks;
  private final AtomicLong searchNanos = new AtomicLong();

  /**
   * @param verify whether bytes are checked against their CRCs
   * @param length bytes that the reader means to see
   */
  ReplicasBeside(ReadContext context, BlockRequest request, boolean verify, long length) {
    this.context = context;
    this.request = request;
    this.verify = verify;
    this.length = length;
  }

  /** What all searches took by now, in nanoseconds: some open a device. */
  long searchNanos() {
    return searchNanos.get();
  }

  /** Those that were found last. */
  MappedReplica[] known() {
    return known;
  }

  /**
   * Those that are found now, or were a moment ago. Allocates only when it looks for them.
   *
   * @param own the reader's
   * @param by what they are to be read by, for the time; told of a search, which may open a device
   */
  MappedReplica[] look(MappedReplica own, ReadSession by) {
    MappedReplica[] found = known;
    if (found.length == context.maxBeside() && areGuarded(found, by)) {
      return found;
    }
    int look = looks;
    looks = look + 1;
    if (look < LOOKS_AT_FIRST || look % LOOK_EVERY == 0) {
      by.hasWaited();
      long begun = System.nanoTime();
      found = context.beside(request, own, verify, length);
      searchNanos.addAndGet(System.nanoTime() - begun);
      known = found;
    }
    return found;
  }

  /** Has them looked for anew. */
  void forget() {
    known = ReplicaSpread.NONE;
    looks = 0;
  }

  private static boolean areGuarded(MappedReplica[] replicas, ReadSession by) {
    for (MappedReplica replica : replicas) {
      if (!replica.isGuarded(by.nowNanos())) {
        return false;
      }
    }
    return true;
  }
}
