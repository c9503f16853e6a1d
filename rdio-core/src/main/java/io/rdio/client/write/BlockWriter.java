// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.SlotGrant;
import io.rdio.nativeio.write.WriteEnd;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One replica that is being written to a slot. Ranges of it may be written by several threads at
 * the same time; all else is for one thread, when they are done, but that {@link #close} may come
 * while others still write or flush. If its {@link BlockWriters} are closed meanwhile, it ends by
 * LEASE_EXPIRED.
 *
 * <p>One that is given up while its device owes an answer keeps its lease, renewed, until the
 * answer is there. Ended before, the lease could not be renewed any more, and a write that waits in
 * the kernel without a bound would have the library's timer kill this process (W9).
 */
public final class BlockWriter implements AutoCloseable {
  private final WriteLease lease;
  private final HeldLeases held;
  private final CommitTries tries;
  private final AtomicLong written = new AtomicLong();
  private volatile @Nullable FallbackException failure;
  private volatile boolean flushed;
  private volatile boolean closed;

  /** Calls that wait for the device. */
  @GuardedBy("this")
  private int calls;

  BlockWriter(WriteLease lease, HeldLeases held, CommitTries tries) {
    this.lease = lease;
    this.held = held;
    this.tries = tries;
  }

  private SlotGrant grant() {
    return lease.slot().grant();
  }

  /** Bytes that are written at once at least, and that writes are multiples of; a power of two. */
  public int unit() {
    return grant().unit();
  }

  /** Bytes of the slot: the longest block that it can be. */
  public long capacity() {
    return grant().extents().length();
  }

  /**
   * Writes bytes of the block, and waits until the device has them. After a failure nothing more is
   * begun, and nothing committed.
   *
   * @param offset in the block; the caller sees to it that each byte is written once, and none left
   *     out
   * @param address of memory at a multiple of the unit; it stays as it is until this returns, and
   *     nobody looks at it afterwards
   * @param length whole units; any if the block ends behind it
   * @param isLast whether the block ends behind it
   * @throws FallbackException LEASE_EXPIRED, DEVICE_IO_ERROR
   * @throws IllegalArgumentException if the range is not in the slot
   */
  public void write(long offset, long address, int length, boolean isLast)
      throws FallbackException {
    requireGoing();
    if (offset < 0 || length < 0 || length > capacity() - offset) {
      throw new IllegalArgumentException(
          length
              + " bytes at "
              + offset
              + " of "
              + grant().block()
              + ", in a slot of "
              + capacity());
    }
    enter();
    try {
      lease.write(offset, address, length, isLast);
    } catch (FallbackException e) {
      failure = e;
      throw e;
    } finally {
      leave();
    }
    written.addAndGet(length);
  }

  private synchronized void enter() throws FallbackException {
    requireGoing();
    calls++;
  }

  private void leave() {
    if (isLastOfClosed()) {
      giveUpNow();
    }
  }

  private synchronized boolean isLastOfClosed() {
    calls--;
    return calls == 0 && closed;
  }

  private void requireGoing() throws FallbackException {
    boolean isClosed = closed; // looked at first: who closes one that failed says why before
    FallbackException known = failure;
    if (known != null) {
      throw known;
    }
    if (isClosed) {
      throw new IllegalStateException("the writer of " + grant().block() + " is closed");
    }
  }

  /**
   * Ends the lease, sees that each write was answered without an error, and flushes the device
   * (W10, W11); does nothing if that was done before.
   *
   * @param length of the block: what was written, in all, and at least 1
   * @throws FallbackException LEASE_EXPIRED, DEVICE_IO_ERROR
   * @throws IllegalArgumentException if the length is another
   */
  void flush(long length) throws FallbackException {
    requireGoing();
    requireLength(length);
    if (flushed) {
      return;
    }
    enter();
    try {
      lease.beginCommit();
      WriteEnd end = lease.end(0);
      if (end != WriteEnd.CLEAN) {
        throw new FallbackException(
            FallbackReason.DEVICE_IO_ERROR,
            "not all writes of " + grant().block() + " can be answered for: " + end);
      }
      lease.flush();
      flushed = true;
    } catch (FallbackException e) {
      failure = e;
      throw e;
    } finally {
      leave();
    }
  }

  private void requireLength(long length) {
    if (length != written.get() || length < 1) {
      throw new IllegalArgumentException(
          "commit of " + length + " bytes of " + grant().block() + ", of which " + written);
    }
  }

  /**
   * Makes what was written a replica, finalized and known to the NameNode when this returns: {@link
   * #flush}, unless that was done before, and the DataNode's commit. Asked again, for a while,
   * where the DataNode does not answer.
   *
   * @param length of the block: what was written, in all, and at least 1
   * @param checksums its CRCs as in its meta file behind the header, from position to limit; both
   *     stay as they are
   * @param patience of the block
   * @throws FallbackException LEASE_EXPIRED, DEVICE_IO_ERROR, or what the DataNode refuses with:
   *     there is no replica. If the DataNode did not answer, there may be one, and this may be
   *     called again.
   * @throws IllegalArgumentException if the length is another
   */
  void commit(long length, ByteBuffer checksums, CommitPatience patience) throws FallbackException {
    flush(length);
    try {
      tries.commit(lease, length, checksums, patience);
    } catch (FallbackException e) {
      if (!CommitTries.isAskedAgain(e.reason())) {
        failure = e;
      }
      throw e;
    }
    closed = true;
    lease.made();
    held.remove(lease);
  }

  /** As {@link #close}, and for that reason: who comes later to it hears that. */
  void giveUp(FallbackException why) {
    if (failure == null) {
      failure = why;
    }
    close();
  }

  /**
   * Gives the block up, unless it is committed: its DataNode is told soon, or when the device has
   * answered what it owes. Waits for nobody.
   */
  @Override
  public void close() {
    if (isToBeGivenUp()) {
      giveUpNow();
    }
  }

  /** False also if whoever comes back last from the device does it. */
  private synchronized boolean isToBeGivenUp() {
    if (closed) {
      return false;
    }
    closed = true;
    return calls == 0;
  }

  private void giveUpNow() {
    lease.giveUp();
    held.gaveUp(lease);
  }
}
