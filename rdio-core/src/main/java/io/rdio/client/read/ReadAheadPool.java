// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.time.MonotonicClock;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The {@link ReadAhead}s of a JVM, lent to readers and taken back with their read queues, of which
 * there is a bounded number: readers beyond it do without. Safe for any number of threads, without
 * locks; allocates nothing once warm.
 *
 * <p>One that comes back with reads under way that nobody waits for any more is put aside until
 * they have ended; up to as many again as can be lent are not counted against that number.
 */
public final class ReadAheadPool implements AutoCloseable {
  /** Each is a file descriptor and a few pages of the kernel's memory. */
  static final int MAX_QUEUES = 64;

  /** How long a queue that was refused for now is not asked for again. */
  static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /** Where queues come from. */
  @FunctionalInterface
  public interface QueueSource {
    /**
     * A new queue.
     *
     * @throws FallbackException NATIVE_LIBRARY_UNAVAILABLE where there never will be one; anything
     *     else where there is none for now
     */
    ReadQueue open() throws FallbackException;
  }

  private final WindowPool windows;
  private final int aheadBytes;
  private final QueueSource source;
  private final LongSupplier nanos;
  private final MpmcAtomicArrayQueue<ReadAhead> idle = new MpmcAtomicArrayQueue<>(MAX_QUEUES);
  private final AtomicInteger queues = new AtomicInteger();
  private final AtomicInteger queuesAside = new AtomicInteger();
  private final KeptReadAheads kept;
  private final AbandonedReadAheads abandoned = new AbandonedReadAheads(this::takeBackFromAside);
  private volatile @Nullable FallbackException refusal;
  private volatile boolean refusedForNow;
  private volatile long refusedNanos;
  private volatile boolean closed;

  /**
   * @param aheadBytes how much a sequential reader may have under way; 0 for nothing but what it
   *     was asked for
   */
  public ReadAheadPool(WindowPool windows, int aheadBytes, QueueSource source) {
    this(windows, aheadBytes, source, System::nanoTime);
  }

  /**
   * @param nanos as System.nanoTime, for telling which readers are idle and when to ask for a queue
   *     again
   */
  ReadAheadPool(WindowPool windows, int aheadBytes, QueueSource source, LongSupplier nanos) {
    this.windows = windows;
    this.aheadBytes = aheadBytes;
    this.source = source;
    this.nanos = nanos;
    this.kept = new KeptReadAheads(nanos);
    windows.whenScarce(this::takeFromIdle);
  }

  /** Why reads are made one after the other for good; null if several can be under way. */
  public @Nullable FallbackException refusal() {
    return refusal;
  }

  /** Queues that readers hold now, or keep between two reads. */
  int lentQueues() {
    return Math.max(0, queues.get() - idle.size());
  }

  /** Those put aside, whose reads nobody waits for. */
  int abandoned() {
    return abandoned.size();
  }

  /** Readers that may keep one between two reads, and were neither closed nor collected. */
  int keepers() {
    return kept.size();
  }

  /** How much a sequential reader may have under way. */
  int aheadBytes() {
    return aheadBytes;
  }

  /**
   * Lends one.
   *
   * @param clock of the leases that it reads under
   */
  ReadAhead borrow(MonotonicClock clock) {
    ReadAhead idleOrNew = withQueue();
    ReadAhead ahead = idleOrNew != null ? idleOrNew : new ReadAhead(windows, this, noQueue());
    ahead.session().lend(clock);
    return ahead;
  }

  /** One with a queue for one without, which could be kept for lack of another; or that itself. */
  ReadAhead exchange(ReadAhead ahead) {
    ReadAhead better = ahead.hasQueue() || refusal != null ? null : withQueue();
    if (better == null) {
      return ahead;
    }
    better.session().succeed(ahead.session());
    giveBack(ahead);
    return better;
  }

  private static ReadSession noQueue() {
    return new ReadSession(NoQueue.INSTANCE);
  }

  private @Nullable ReadAhead withQueue() {
    ReadAhead ahead = idle.poll();
    if (ahead == null) {
      ReadQueue queue = openQueue();
      ahead = queue == null ? null : new ReadAhead(windows, this, new ReadSession(queue));
    }
    if (ahead == null && refusal == null) {
      takeFromIdle();
      ahead = idle.poll();
    }
    return ahead;
  }

  private @Nullable ReadQueue openQueue() {
    if (refusal != null || queues.get() >= MAX_QUEUES || isRefusedForNow()) {
      return null;
    }
    try {
      ReadQueue queue = source.open();
      queues.incrementAndGet();
      refusedForNow = false;
      return queue;
    } catch (FallbackException e) {
      refused(e);
      return null;
    }
  }

  private boolean isRefusedForNow() {
    return refusedForNow && nanos.getAsLong() - refusedNanos < RETRY_AFTER.toNanos();
  }

  private void refused(FallbackException why) {
    if (why.reason() == FallbackReason.NATIVE_LIBRARY_UNAVAILABLE) {
      refusal = why;
      return;
    }
    refusedNanos = nanos.getAsLong();
    refusedForNow = true;
  }

  /**
   * Puts one aside whose reads are late.
   *
   * @return another session to go on with, without a queue where there is no other
   */
  ReadSession succeed(ReadAhead late) {
    giveBackUnwaited(late);
    ReadAhead other = withQueue();
    ReadSession session = other == null ? noQueue() : other.session();
    session.succeed(late.session());
    return session;
  }

  /** All that idle readers keep is worth more to who has come for some of it. */
  private void takeFromIdle() {
    kept.takeIdle(this::giveBackUnwaited);
  }

  /**
   * Lets a reader keep one in a place until it is closed or garbage; see {@link KeptReadAheads}.
   */
  Cleaner.Cleanable addKeeper(Object reader, KeptReadAheads.Place place) {
    return kept.add(reader, place, this);
  }

  /** Takes it back. Waits for a moment, for what is under way. */
  void giveBack(ReadAhead ahead) {
    if (ahead.clear()) {
      takeBack(ahead);
    } else {
      putAside(ahead);
    }
  }

  /** Takes it back, and waits for nothing. */
  void giveBackUnwaited(ReadAhead ahead) {
    if (ahead.poll()) {
      takeBack(ahead);
    } else {
      putAside(ahead);
    }
  }

  private void putAside(ReadAhead ahead) {
    if (queuesAside.incrementAndGet() <= MAX_QUEUES) {
      queues.decrementAndGet();
    }
    abandoned.add(ahead);
  }

  private void takeBackFromAside(ReadAhead ahead) {
    if (queuesAside.getAndDecrement() <= MAX_QUEUES) {
      queues.incrementAndGet();
    }
    takeBack(ahead);
  }

  private void takeBack(ReadAhead ahead) {
    if (!ahead.hasQueue()) {
      if (refusal != null && !closed) {
        idle.offer(ahead);
      }
      return;
    }
    if (closed || queues.get() > MAX_QUEUES || !idle.offer(ahead)) {
      queues.decrementAndGet();
      ahead.close();
    } else if (closed) {
      close();
    }
  }

  /** Runs short work that must not wait for anything, on a thread of this pool's own. */
  void execute(Runnable work) {
    abandoned.execute(work);
  }

  /** Frees what is idle; what is lent is freed when it comes back. */
  @Override
  public void close() {
    closed = true;
    for (ReadAhead ahead = idle.poll(); ahead != null; ahead = idle.poll()) {
      if (ahead.hasQueue()) {
        queues.decrementAndGet();
      }
      ahead.close();
    }
  }
}
