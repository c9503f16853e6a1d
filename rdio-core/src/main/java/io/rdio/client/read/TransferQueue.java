// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.ReadQueue;
import java.nio.ByteBuffer;

/**
 * Reads pieces of blocks into memory of somebody else's, who verifies them: several are under way,
 * and end in the order in which they were begun. Their CRCs come into memory of this process first,
 * so that nobody else can alter what is kept of them. Allocates nothing once warm.
 *
 * <p>Where there is a block data cache, a piece that is all there is copied from it; its CRCs come
 * as ever. A positional read that the cache admits brings whole chunks to memory of ours first,
 * where they are verified and kept, which {@link #begin} waits for.
 *
 * <p>Where a block may be read by several replicas, each piece goes to the device that will have it
 * first ({@link ReplicaSpread}); but for those that the block data cache may take, for what is
 * cached is cached by one map. A replica that fails is left at once.
 *
 * <p>For one thread at a time. What a piece was read by is asked before its I/O and behind it, as
 * in every read.
 */
public final class TransferQueue {
  /** Most bytes of CRCs with a piece. */
  private static final int CRC_MAX = 8 << 10;

  private final ReadSession session;
  private final ReadContext context;
  private final ReadQueue queue;
  private final ReplicaSpread spread;
  private final Transfer[] transfers;
  private int first;
  private int count;

  /** Makes the queues that devices are asked by. */
  @FunctionalInterface
  public interface Source {
    /**
     * A new one.
     *
     * @throws FallbackException where the kernel has none for us
     */
    ReadQueue open() throws FallbackException;
  }

  private TransferQueue(ReadContext context, ReadQueue queue, int most) {
    this.session = new ReadSession(queue);
    this.context = context;
    this.queue = queue;
    this.spread = context.readAheads().newSpread();
    this.transfers = new Transfer[most];
    session.lend(context.clock());
  }

  /**
   * A new one; {@link #close} must follow.
   *
   * @param most pieces under way
   */
  public static TransferQueue open(ReadContext context, Source queues, int most)
      throws FallbackException {
    return new TransferQueue(context, queues.open(), most);
  }

  /**
   * Begins to read a piece, behind those that are under way; there must be room for it.
   *
   * @param from start of a chunk where CRCs are wanted
   * @param length of whole chunks
   * @param crcs what is to come with the bytes
   * @param to direct, this queue's alone, for its position and limit change; takes the bytes from
   *     {@code at} on or a few behind, with slack to spare
   * @throws FallbackException why not; then it is not under way
   */
  public void begin(TransferBlock block, long from, int length, Crcs crcs, ByteBuffer to, int at)
      throws FallbackException {
    if (crcs != Crcs.NONE && block.crcBytes(from, length) > CRC_MAX) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_UNSUPPORTED, length + " bytes of " + block + " at a time");
    }
    session.use(choose(block, length, crcs));
    int place = (first + count) % transfers.length;
    if (transfers[place] == null) {
      transfers[place] = new Transfer(context, CRC_MAX);
    }
    transfers[place].begin(block, session, from, length, crcs, to, at);
    count++;
  }

  /**
   * Says that what is begun next belongs to another read than what was before: where it is all the
   * same, that goes by any of the block's replicas, or one would never be seen.
   */
  public void beginRun() {
    spread.clear();
  }

  private MappedReplica choose(TransferBlock block, int length, Crcs crcs)
      throws FallbackException {
    session.begunAt(context.clock().nanos());
    MappedReplica own = block.replica(session);
    if (crcs == Crcs.KEPT && context.dataCache() != null) {
      return own;
    }
    spread.over(block.beside(own, session));
    return spread.isAlone() ? own : spread.choose(own, length, session.nowNanos());
  }

  /** Says that memory will be read to again and again; see {@link ReadQueue#keep}. */
  public boolean keep(ByteBuffer memory) {
    return queue.keep(memory);
  }

  /** What is to come with the bytes. */
  public enum Crcs {
    /** Nothing. */
    NONE,
    /** Their CRCs. */
    ONCE,
    /** Their CRCs, which are kept with the map, for they will be wanted again, as the bytes. */
    KEPT
  }

  /** Bytes of the oldest piece under way. */
  public int oldestLength() {
    return transfers[first].length();
  }

  /**
   * Waits for the oldest piece.
   *
   * @param crcsTo takes its CRCs from {@code crcsAt} on
   * @return where in the buffer of {@link #begin} its first byte is
   * @throws FallbackException what the device or the guard refused; the piece is not under way any
   *     more, unless it was DEVICE_TIMEOUT or INTERRUPTED: then this must be closed
   */
  public int complete(ByteBuffer crcsTo, int crcsAt) throws FallbackException {
    Transfer oldest = transfers[first];
    boolean ended = false;
    try {
      int at = oldest.complete(session, crcsTo, crcsAt);
      ended = true;
      return at;
    } catch (FallbackException e) {
      oldest.failed(e);
      throw e;
    } finally {
      if (ended || oldest.abandon()) {
        first = (first + 1) % transfers.length;
        count--;
      }
    }
  }

  /**
   * Gives up what is under way, waiting a moment for it, and frees the queue.
   *
   * @return whether nothing is written to anybody's memory any more; if not, that memory must stay
   *     as long as it can be reached, which the queue sees to
   */
  public boolean close() {
    while (count > 0) {
      if (!transfers[first].abandon()) {
        break;
      }
      first = (first + 1) % transfers.length;
      count--;
    }
    queue.close(); // which waits for the rest by itself
    return count == 0;
  }
}
