// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.time.MonotonicClock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the windows of a {@link ReadAhead} are read by: a replica, the queue that its device is
 * asked by, and the clock of its lease. A window keeps the session that it was begun by: so one
 * that is late stays with its queue when the {@link ReadAhead} goes on with another session.
 *
 * <p>For one thread at a time.
 */
final class ReadSession {
  private final ReadQueue queue;
  private @Nullable MonotonicClock clock;
  private @Nullable MappedReplica replica;
  private boolean keepCrcs;

  // When its user's call began, until that has waited for something.
  private boolean hasJustBegun;
  private long begunNanos;

  /**
   * @param queue where reads go; {@link NoQueue} to read one after the other
   */
  ReadSession(ReadQueue queue) {
    this.queue = queue;
  }

  /** Says by which clock its next user's leases run. */
  void lend(MonotonicClock of) {
    clock = of;
    hasJustBegun = false;
  }

  /** Goes on for the user of another one, whose queue is left to what is under way on it. */
  void succeed(ReadSession other) {
    clock = other.clock;
    keepCrcs = other.keepCrcs;
    hasJustBegun = false;
  }

  /** Where reads go. */
  ReadQueue queue() {
    return queue;
  }

  /** Whether several reads can be under way. */
  boolean hasQueue() {
    return queue != NoQueue.INSTANCE;
  }

  /** How many windows are worth having at a time. */
  int maxWindows() {
    return hasQueue() ? ReadGeometry.MAX_WINDOWS : 1;
  }

  /** Reads by a replica from now on; null for none. */
  void use(@Nullable MappedReplica by) {
    replica = by;
  }

  private MonotonicClock clock() {
    return Objects.requireNonNull(clock);
  }

  /**
   * Says when its user's call began, by the clock of the leases; only for a call that has waited
   * for nothing since, and asked no cache. For all that is looked at ahead of the call's first wait
   * that is early enough ({@link io.rdio.client.plane.Guard} says why), and a reading of that clock
   * costs as much as all else that is looked at.
   */
  void begunAt(long nanos) {
    begunNanos = nanos;
    hasJustBegun = true;
  }

  /**
   * Says that the call has waited, or may have, for anything at all: a read, a file, a device that
   * was opened, a DataNode. When it began is too long ago from now on.
   */
  void hasWaited() {
    hasJustBegun = false;
  }

  /** The time by the clock of the leases; or when the call began, if it has not waited since. */
  long nowNanos() {
    return hasJustBegun ? begunNanos : clock().nanos();
  }

  /** What windows are begun by now. */
  MappedReplica replica() {
    return Objects.requireNonNull(replica);
  }

  /** The replica's device. */
  BlockDevice device() {
    return replica().device();
  }

  /**
   * Whether CRCs of what is read from now on are worth keeping with the map: those of positional
   * reads are, which come again for other bytes nearby; a sequential run needs each only once.
   */
  void keepCrcs(boolean worthIt) {
    keepCrcs = worthIt;
  }

  boolean keepsCrcs() {
    return keepCrcs;
  }

  /**
   * See {@link MappedReplica#guardBefore}.
   *
   * @param of by which a window is begun
   */
  void guardBefore(MappedReplica of) throws FallbackException {
    of.guardBefore(nowNanos());
  }

  /**
   * See {@link MappedReplica#guardAfter}.
   *
   * @param of by which a window was begun, perhaps not what this uses now
   */
  void guardAfter(MappedReplica of) throws FallbackException {
    hasWaited();
    of.guardAfter(clock());
  }

  /** Where stock HDFS gives up, too: before it waits for bytes that are not here. */
  void heedInterrupt() throws FallbackException {
    if (queue.givesUp() && Thread.currentThread().isInterrupted()) {
      throw new FallbackException(FallbackReason.INTERRUPTED, "before a read of the device");
    }
  }
}
