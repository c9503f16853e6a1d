// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.client.plane.WritePlane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.time.BackOff;
import io.rdio.core.time.MonotonicClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Has DataNodes commit, and asks again where there was no answer: the DataNode may have made the
 * replica, and says the same whenever it is asked. Thread-safe.
 */
final class CommitTries {
  private final WritePlane plane;
  private final Terms terms;
  private final MonotonicClock clock;
  private final CountDownLatch closing;

  /**
   * How long it is asked again. A try under way when that is over goes on, as long as its DataNode
   * says that it is there.
   *
   * @param within no further try is begun so long after the first one
   * @param withinOfMore the same, once enough others are made
   * @param firstPause before the second one, at most
   * @param longestPause between two, at most
   * @param silent how long a try of a DataNode lasts at most of which nothing is heard
   */
  record Terms(
      Duration within,
      Duration withinOfMore,
      Duration firstPause,
      Duration longestPause,
      Duration silent) {

    /** As they are but for tests. */
    static Terms usual(Duration silent) {
      return new Terms(
          Duration.ofMinutes(1),
          Duration.ofSeconds(5),
          Duration.ofMillis(100),
          Duration.ofSeconds(2),
          silent);
    }

    /**
     * In which a further try may begin.
     *
     * @param triedNanos that the last one took: where it took longer than one of a silent DataNode,
     *     that was heard meanwhile, and is not given up for others' sake
     */
    Duration within(CommitPatience patience, long triedNanos) {
      return patience.isEnoughMade() && triedNanos <= silent.toNanos() ? withinOfMore : within;
    }
  }

  /**
   * @param closing once it is down, nothing is asked again
   */
  CommitTries(WritePlane plane, Terms terms, MonotonicClock clock, CountDownLatch closing) {
    this.plane = plane;
    this.terms = terms;
    this.clock = clock;
    this.closing = closing;
  }

  /**
   * Returns when the DataNode has made a replica of a lease's slot.
   *
   * @param checksums from position to limit; both stay as they are
   * @param patience of the block, which is told when this one is made
   * @throws FallbackException what the DataNode refuses with; why there was no answer, and then it
   *     is not known whether there is a replica; or INTERRUPTED, as well
   */
  void commit(WriteLease lease, long length, ByteBuffer checksums, CommitPatience patience)
      throws FallbackException {
    BackOff pauses =
        new BackOff(
            terms.firstPause(),
            terms.longestPause(),
            clock,
            () -> ThreadLocalRandom.current().nextDouble());
    long begun = clock.nanos();
    while (true) {
      long tried = clock.nanos();
      try {
        plane.commit(lease.target(), lease.slot(), length, checksums);
        patience.made();
        return;
      } catch (FallbackException e) {
        long now = clock.nanos();
        boolean isTimeLeft = now - begun < terms.within(patience, now - tried).toNanos();
        if (!isAskedAgain(e.reason()) || !isTimeLeft) {
          throw e;
        }
        pauses.failed(0);
        if (isClosedWithin(pauses.leftNanos())) {
          throw e;
        }
      }
    }
  }

  /** A DataNode that was started anew is not ready at first, and knows of the replica later. */
  static boolean isAskedAgain(FallbackReason reason) {
    return switch (reason) {
      case METADATA_PLANE_UNREACHABLE,
          METADATA_PLANE_BACKOFF,
          SESSION_UNKNOWN,
          DATANODE_BUSY,
          DATANODE_NOT_READY ->
          true;
      default -> false;
    };
  }

  private boolean isClosedWithin(long nanos) throws FallbackException {
    try {
      return closing.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(
          FallbackReason.INTERRUPTED, "waiting to ask once more for a commit");
    }
  }
}
