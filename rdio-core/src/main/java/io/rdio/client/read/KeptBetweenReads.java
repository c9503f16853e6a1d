// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;

/**
 * What a reader keeps from one read to the next: the {@link ReadAhead} that it was lent, with what
 * was read ahead of it. One is lent for a read where none is kept, and goes back to the pool where
 * it is not worth keeping.
 *
 * <p>Safe for any number of threads, without a lock: whoever reads owns the one that it reads with,
 * and the kept one belongs to whoever took it out of its place. That is also why {@link #close} may
 * come at any time.
 */
final class KeptBetweenReads {
  private final ReadContext context;
  private final BlockRequest request;
  private final KeptReadAheads.Place place = new KeptReadAheads.Place();
  private volatile Cleaner.@Nullable Cleanable keeping;
  private volatile boolean closed;

  /**
   * @param request of the reader, which alone holds this
   */
  KeptBetweenReads(ReadContext context, BlockRequest request) {
    this.context = context;
    this.request = request;
  }

  /** Takes what is kept, which is to be given back; null where that is nothing. */
  @Nullable ReadAhead take() {
    // A look first: most readers keep none, and an exchange costs as much as a fence.
    return place.get() == null ? null : place.getAndSet(null);
  }

  /**
   * Borrows one, for which this may have to wait; it is to be given back.
   *
   * @param now when its user began, and has waited for nothing since; on the clock that guards run
   *     on, which is read anew if this has waited
   */
  ReadAhead borrow(MappedReplica from, long now) throws FallbackException {
    requireOpen();
    from.device().requireAnswering();
    ReadAhead ahead = context.readAheads().tryBorrow(context.clock());
    if (ahead == null) {
      return context.readAheads().borrow(context.clock());
    }
    ahead.session().begunAt(now);
    return ahead;
  }

  /**
   * Takes one back behind a read.
   *
   * @param worthKeeping whether the next read may go on with it
   */
  void giveBack(ReadAhead ahead, boolean worthKeeping) {
    boolean keep = worthKeeping && !context.readAheads().isScarce();
    if (keep && keeping == null) {
      keeping = context.readAheads().addKeeper(this, place);
    }
    if (keep && context.maxBeside() > 0) {
      ahead.session().queue().rest(); // the caller may think for as long as it likes
    }
    if (keep && place.compareAndSet(null, ahead)) {
      if (closed) {
        // close() may have looked into the place before this was in it.
        close();
      }
    } else {
      context.readAheads().giveBack(ahead);
    }
  }

  /**
   * Gives back what is kept, waiting a moment for what is under way to it; reads of other threads
   * end with their next window. Where this is never called, it is given back when this is garbage.
   */
  void close() {
    closed = true;
    Cleaner.Cleanable registration = keeping;
    ReadAhead ahead = place.getAndSet(null);
    if (ahead != null) {
      context.readAheads().giveBack(ahead);
    }
    if (registration != null) {
      registration.clean();
    }
  }

  /** Refuses whatever would read on behind {@link #close}. */
  void requireOpen() throws FallbackException {
    if (closed) {
      throw new FallbackException(FallbackReason.ACCESSOR_CLOSED, request.block().toString());
    }
  }
}
