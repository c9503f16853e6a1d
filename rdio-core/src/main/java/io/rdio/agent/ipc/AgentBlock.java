// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.RangeReads;
import java.io.Closeable;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads one block by the agent. Bytes that it hands out were read under a guard that held before
 * and after, by the agent, and match their CRCs, which are checked here.
 *
 * <p>A reader that goes on where it left off has windows asked for ahead, which grow as it goes on;
 * others fetch what they need and keep nothing. A read is tried once more where the agent was gone
 * or knew the block no more, or a CRC did not match.
 *
 * <p>Safe for any number of threads; a read that succeeds takes no lock: what was read ahead
 * belongs to whoever took it out of its slot. {@link #close} may come at any time, and twice.
 */
public final class AgentBlock implements Closeable {
  /** As many replicas as a block usually has, and once more for a lease that ran out. */
  private static final int MAX_TRIES = 4;

  /** What is read ahead at first in a sequential run; it grows by the factor below. */
  private static final int FIRST_AHEAD = 64 << 10;

  private static final int GROWTH = 4;

  /** Into how many READs a long piece is cut, if not more, so that one is checked meanwhile. */
  private static final int CUTS = 2;

  /** An offset that is none. */
  static final long NOWHERE = -1;

  private final AgentClient client;
  private final BlockName name;
  private final long length;
  private final boolean positional;
  private final KeptReads kept = new KeptReads();
  private volatile OpenedBlock block;
  private volatile boolean closed;

  /** Where the next read begins if it goes on from the last one; before the first, NOWHERE. */
  private volatile long nextOffset = NOWHERE;

  /**
   * @param positional whether its reads have nothing to do with each other: none leads to another,
   *     and each begins anew, as if the block were opened for it alone
   */
  AgentBlock(
      AgentClient client, BlockName name, long length, boolean positional, OpenedBlock block) {
    this.client = client;
    this.name = name;
    this.length = length;
    this.positional = positional;
    this.block = block;
  }

  /** Bytes that can be read: offsets {@code [0, length())}. */
  public long length() {
    return length;
  }

  /**
   * Reads all of {@code [offset, offset + count)}, which must lie in the block.
   *
   * @throws FallbackException why the agent could not; {@code target} may have been written to.
   *     ACCESSOR_CLOSED when closed meanwhile
   */
  public void read(long offset, byte[] target, int at, int count) throws FallbackException {
    readRetrying(offset, target, null, at, count);
  }

  /**
   * The same to {@code [at, at + count)} of a buffer, whose position and limit stay as they are.
   */
  public void read(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    if (target.hasArray()) {
      readRetrying(offset, target.array(), null, target.arrayOffset() + at, count);
    } else {
      readRetrying(offset, null, target, at, count);
    }
  }

  /**
   * Reads of several ranges at a time, on a lane of their own.
   *
   * @throws FallbackException ACCESSOR_CLOSED, or that there is no lane to be had
   */
  public RangeReads ranges() throws FallbackException {
    requireOpen();
    OpenedBlock from = block;
    return new AgentRanges(from, from.session().borrow().reads());
  }

  /** To one of array and buffer. */
  private void readRetrying(
      long offset, byte @Nullable [] array, @Nullable ByteBuffer buffer, int at, int count)
      throws FallbackException {
    OpenedBlock tried = block;
    boolean done = false;
    try {
      for (int tries = 1; !done; tries++) {
        try {
          readOnce(tried, offset, array, buffer, at, count);
          done = true;
        } catch (FallbackException e) {
          if (tries >= mostTries(e.reason())) {
            throw e;
          }
          tried = reopen(tried);
        }
      }
    } catch (FallbackException e) {
      if (isOfTheBlock(e.reason())) {
        tried.session().forget(name, tried); // whoever opens it next hears it from the agent
      }
      throw e;
    }
  }

  /**
   * By another agent; or by other maps of this one's, which has dropped those that failed: as long
   * as there is a good replica it is found.
   */
  private static int mostTries(FallbackReason reason) {
    if (reason == FallbackReason.AGENT_UNAVAILABLE) {
      return 2;
    }
    return reason.policy().mapVerdict().isWorthAnotherMap() ? MAX_TRIES : 1;
  }

  private static boolean isOfTheBlock(FallbackReason reason) {
    return reason != FallbackReason.ACCESSOR_CLOSED
        && reason != FallbackReason.INTERRUPTED
        && reason != FallbackReason.BUFFERS_EXHAUSTED
        && reason != FallbackReason.AGENT_BUSY;
  }

  /** With the agent that answers now, perhaps another one than before. */
  private synchronized OpenedBlock reopen(OpenedBlock stale) throws FallbackException {
    requireOpen();
    if (block == stale) {
      block = client.openAnew(client.session(), name, length, 0, stale);
    }
    return block;
  }

  private void readOnce(
      OpenedBlock from,
      long offset,
      byte @Nullable [] array,
      @Nullable ByteBuffer buffer,
      int at,
      int count)
      throws FallbackException {
    requireOpen();
    LaneReads reads = kept.take();
    boolean sequential = !positional && isSequential(from, reads, offset, count);
    if (reads != null && reads.lane().session() != from.session()) {
      reads.end();
      reads = null;
    }
    if (reads == null) {
      reads = from.session().borrow().reads();
    }
    boolean keep = false;
    try {
      reads.use(from, array, buffer);
      reads.moveTo(offset);
      long ahead = sequential ? budget(reads, count) : 0;
      long end = sequential ? Math.min(length, offset + count + ahead) : offset + count;
      int size = readSize(Math.max(count, ahead));
      int flags = flags(sequential);
      for (int done = 0; done < count; ) {
        reads.fill(offset + done, offset + count, end, size, flags);
        done += reads.copy(offset + done, at + done, count - done);
      }
      if (!positional) {
        nextOffset = offset + count;
      }
      keep = sequential && offset + count < length;
    } finally {
      giveBack(reads, keep);
    }
  }

  /** A stream goes on by the map that it began with, for as long as that may be read by. */
  private int flags(boolean sequential) {
    if (!sequential) {
      return Protocol.KEEP_CRCS | Protocol.BEGINS;
    }
    return nextOffset == NOWHERE ? Protocol.BEGINS : 0;
  }

  /** Bytes of each READ of a piece: few messages, but what is long is not waited for as a whole. */
  static int readSize(long bytes) {
    long cut = Math.max((bytes + CUTS - 1) / CUTS, Math.min(bytes, SharedSegment.PLACE_DATA));
    return (int) Math.min(Protocol.READ_MAX, cut);
  }

  /** As in a direct read: goes on, or nearly so, or begins and leaves bytes for later. */
  private boolean isSequential(
      OpenedBlock from, @Nullable LaneReads reads, long offset, int count) {
    long expected = nextOffset;
    return (expected != NOWHERE && offset >= expected && offset - expected < FIRST_AHEAD)
        || (reads != null && reads.isOf(from) && reads.covers(offset))
        || (expected == NOWHERE && offset + count < length);
  }

  /** Bytes to have under way behind a read of a sequential run. */
  private long budget(LaneReads reads, int count) {
    long grown = GROWTH * Math.max(count, reads.bytes());
    int most = Math.min(client.readAhead(), LaneReads.BYTES_MAX);
    return Math.min(Math.max(FIRST_AHEAD, grown), most);
  }

  private void giveBack(LaneReads reads, boolean keep) {
    if (keep && kept.put(reads)) {
      if (closed) {
        close(); // which may have looked before this was there
      }
    } else {
      reads.end();
    }
  }

  private void requireOpen() throws FallbackException {
    if (closed) {
      throw new FallbackException(FallbackReason.ACCESSOR_CLOSED, name.toString());
    }
  }

  @Override
  public void close() {
    closed = true;
    LaneReads reads = kept.take();
    if (reads != null) {
      reads.end();
    }
  }
}
