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
  private final ExtentGather data;
  private final WindowCrcs crcs;
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
  Transfer(ClientCounters counters, int crcBytes) {
    int room = crcBytes + WindowCrcs.SLACK + ExtentGather.SLACK_ALIGNMENTS * ReadGeometry.ALIGNMENT;
    ByteBuffer memory =
        ByteBuffer.allocateDirect(room + ReadGeometry.ALIGNMENT)
            .alignedSlice(ReadGeometry.ALIGNMENT);
    this.data = new ExtentGather(counters);
    this.crcs = new WindowCrcs(memory, counters);
  }

  int length() {
    return length;
  }

  /** Begins; see {@link TransferQueue#begin}. If it throws, nothing is under way. */
  void begin(
      ReadContext context,
      ReadSession by,
      long from,
      int count,
      TransferQueue.Crcs wanted,
      ByteBuffer to,
      int at)
      throws FallbackException {
    MappedReplica of = by.replica();
    boolean again = wanted == TransferQueue.Crcs.KEPT;
    cached = CachedReads.bring(context, by, from, count, again, to, at);
    cachedAt = at;
    replica = of;
    start = from;
    length = count;
    withCrcs = wanted != TransferQueue.Crcs.NONE && of.verify();
    by.keepCrcs(again || cached);
    boolean begun = false;
    try {
      by.guardBefore(of);
      if (withCrcs) {
        crcs.begin(by, from, from + count);
      }
      if (!cached) {
        data.begin(by, of.map().blockExtents(), from, count, to, at);
      }
      begun = true;
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
      crcs.complete();
    }
    int at = cached ? cachedAt : data.complete();
    RdioClientFaultInjector.get().beforeLeaseRecheck(of.map());
    by.guardAfter(of);
    if (withCrcs) {
      crcs.keepPages(of);
      crcsTo.clear(); // reads without a queue have moved its limit
      crcs.deliver(of, start, length, crcsTo, crcsAt);
    }
    replica = null;
    return at;
  }

  /** Gives it up; whether nothing is written any more, now or before. May be repeated. */
  boolean abandon() {
    if (!crcs.abandon() || !data.abandon()) {
      return false;
    }
    replica = null;
    return true;
  }
}
