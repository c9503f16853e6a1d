// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockRequest;
import java.util.concurrent.TimeUnit;

/**
 * The replica that a reader reads by at present, by one map of its block after the other. Safe for
 * any number of threads.
 *
 * <p>Reads that have nothing to do with each other go each by the map that is in memory then. Most
 * often it is that of the read before, which the map itself tells: it knows when it leaves memory,
 * and its guard when it is recalled or lost. So it is looked up only now and then, which is how it
 * counts as used and stays.
 */
final class PresentReplica {
  /** How long a map is not looked up again. */
  static final long LOOKED_UP_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ReadContext context;
  private final BlockRequest request;
  private final boolean verify;
  private final long length;
  private volatile MappedReplica replica;
  private volatile long lookedUpNanos;

  /**
   * @param verify whether bytes are checked against their CRCs
   * @param length bytes that the reader means to see
   * @param first what it reads by to begin with
   */
  PresentReplica(
      ReadContext context, BlockRequest request, boolean verify, long length, MappedReplica first) {
    this.context = context;
    this.request = request;
    this.verify = verify;
    this.length = length;
    this.replica = first;
  }

  /** By what was read last, whatever its guard says. */
  MappedReplica get() {
    return replica;
  }

  /**
   * By what a reader that is opened now reads, from now on. Waits for a map if there is none.
   *
   * @throws FallbackException why stock HDFS must serve this block
   */
  MappedReplica renew() throws FallbackException {
    MappedReplica other = context.resolve(request, verify, length);
    replica = other;
    return other;
  }

  /**
   * The same at less cost where it is what was read by last: not by a map that was recalled, or is
   * in memory no more.
   *
   * @param nowNanos on the clock that guards run on
   * @throws FallbackException why stock HDFS must serve this block
   */
  @SuppressWarnings("ReferenceEquality") // Another object is another lease.
  MappedReplica ofNow(long nowNanos) throws FallbackException {
    MappedReplica known = replica;
    if (isKnownToAdmit(known, nowNanos)) {
      context.counters().mapHits.increment();
      return known;
    }
    lookedUpNanos = nowNanos;
    return context.maps().get(request) == known.map() ? known : renew();
  }

  /** Whether {@link #ofNow} need not wait. */
  boolean isMapped(long nowNanos) {
    return isKnownToAdmit(replica, nowNanos) || context.maps().holds(request.block());
  }

  private boolean isKnownToAdmit(MappedReplica known, long nowNanos) {
    long since = nowNanos - lookedUpNanos;
    return since >= 0
        && since < LOOKED_UP_EVERY_NANOS
        && !known.map().isDropped()
        && known.map().guard().admits(nowNanos);
  }
}
