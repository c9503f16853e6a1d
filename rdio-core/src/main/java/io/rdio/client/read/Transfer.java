// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a block on its way into somebody else's memory, not verified. Reused; for one thread
 * at a time.
 */
final class Transfer {
  private final ReadContext context;
  private final ExtentGather data;
  private final WindowCrcs crcs;
  private @Nullable TransferBlock block;
  private @Nullable MappedReplica replica;
  private long start;
  private int length;
  private boolean withCrcs;

  /** Whether the bytes are there already, from {@link #cachedAt} on. */
  private boolean cached;

  private int cachedAt;

  /**
   * @param crcBytes most bytes of CRCs
   */
  Transfer(ReadContext context, int crcBytes) {
    ClientCounters counters = context.counters();
    int room = crcBytes + WindowCrcs.SLACK + ExtentGather.SLACK_ALIGNMENTS * ReadGeometry.ALIGNMENT;
    ByteBuffer memory =
        ByteBuffer.allocateDirect(room + ReadGeometry.ALIGNMENT)
            .alignedSlice(ReadGeometry.ALIGNMENT);
    this.context = context;
    this.data = new ExtentGather(counters);
    this.crcs = new WindowCrcs(memory, counters);
  }

  int length() {
    return length;
  }

  /**
   * Begins; see {@link TransferQueue#begin}. If it throws, nothing is under way.
   *
   * @param by a replica of the block, and the queue that it is read on
   */
  void begin(
      TransferBlock from,
      ReadSession by,
      long offset,
      int count,
      TransferQueue.Crcs wanted,
      ByteBuffer to,
      int at)
      throws FallbackException {
    MappedReplica of = by.replica();
    boolean again = wanted == TransferQueue.Crcs.KEPT;
    block = from;
    replica = of;
    start = offset;
    length = count;
    withCrcs = wanted != TransferQueue.Crcs.NONE && of.verify();
    boolean begun = false;
    try {
      cached = CachedReads.bring(context, by, offset, count, again, to, at);
      cachedAt = at;
      by.keepCrcs(again || cached);
      by.guardBefore(of);
      if (withCrcs) {
        crcs.begin(by, offset, offset + count, offset + count, null);
      }
      if (!cached) {
        data.begin(by, of.map().blockExtents(), offset, count, to, at);
      }
      begun = true;
    } catch (FallbackException e) {
      failed(e);
      throw e;
    } finally {
      if (!begun) {
        abandon();
      }
    }
  }

  /** Waits for it; see {@link TransferQueue#complete}. */
  int complete(ReadSession by, ByteBuffer crcsTo, int crcsAt) throws FallbackException {
    MappedReplica of = Objects.requireNonNull(replica);
    if (withCrcs) {
      crcs.complete(by, of);
    }
    int at = cached ? cachedAt : data.complete();
    RdioClientFaultInjector.get().beforeLeaseRecheck(of.map());
    by.guardAfter(of);
    if (withCrcs) {
      crcs.keepPages(of);
      crcsTo.clear(); // reads without a queue have moved its limit
      crcs.deliver(of, start, length, crcsTo, crcsAt);
    }
    clear();
    return at;
  }

  /** Gives it up, for the replica has failed; one that is still read to its memory may be late. */
  void failed(FallbackException failure) {
    TransferBlock from = block;
    MappedReplica of = replica;
    if (from != null && of != null && abandon()) {
      from.failed(of, failure);
    }
  }

  /** Gives it up; whether nothing is written any more, now or before. May be repeated. */
  boolean abandon() {
    if (!crcs.abandon() || !data.abandon()) {
      return false;
    }
    clear();
    return true;
  }

  private void clear() {
    block = null;
    replica = null;
  }
}
