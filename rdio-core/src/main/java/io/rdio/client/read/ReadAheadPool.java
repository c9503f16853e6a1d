// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.time.MonotonicClock;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The {@link ReadAhead}s of a JVM, lent to readers and taken back with their read queues, of which
 * there is a bounded number: readers beyond it wait for one, for about a second. One without a
 * queue is lent only where the kernel has none for this process at all: its reads could not be
 * given up. Safe for any number of threads; while there are queues it takes no lock, and allocates
 * nothing once warm. The one that came back last is lent first: what it touches is in the
 * processor's caches still, and as few rings are in use as threads read at the same time.
 *
 * <p>A reader that waits has one handed to it by whoever gives one back. It also takes what other
 * readers keep between two reads, but have not moved on since just before, a few at a time; and
 * while it waits nobody keeps one ({@link #isScarce}). So all are in use for as long only where as
 * many threads are in the middle of a read.
 *
 * <p>One that comes back with reads under way that nobody waits for any more is put aside until
 * they have ended; up to as many again as can be lent are not counted against that number.
 */
public final class ReadAheadPool implements AutoCloseable {
  /**
   * Queues at a time; as many again may be put aside. On Linux 6.18 each takes a file descriptor,
   * about 20 KiB of the kernel's memory (which before 5.12 counts against RLIMIT_MEMLOCK, as does
   * the memory that it pins) and 3 KiB of the JVM's: 6 MiB for all of them, and memory for reading
   * ahead is bounded by the {@link WindowPool}.
   */
  static final int MAX_QUEUES = 256;

  /** How long a reader waits for a queue before stock HDFS serves it. */
  static final Duration MAX_WAIT = Duration.ofSeconds(1);

  /** Of those that are kept between two reads, how many a reader that waits takes at a time. */
  static final int TAKEN_AT_ONCE = 16;

  /** How long a queue that was refused for now is not asked for again. */
  static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /** Where queues come from. */
  @FunctionalInterface
  public interface QueueSource {
    /**
     * A new queue.
     *
     * @throws FallbackException ASYNC_IO_UNAVAILABLE where there never will be one; anything else
     *     where there is none for now
     */
    ReadQueue open() throws FallbackException;
  }

  private final WindowPool windows;
  private final int aheadBytes;
  private final QueueSource source;
  private final LongSupplier nanos;
  private final IdleStack<ReadAhead> idle = new IdleStack<>(MAX_QUEUES);
  private final AtomicInteger queues = new AtomicInteger();
  private final AtomicInteger queuesAside = new AtomicInteger();
  private final KeptReadAheads kept;
  private final AbandonedReadAheads abandoned = new AbandonedReadAheads(this::takeBackFromAside);
  private final SynchronousQueue<ReadAhead> handedOver = new SynchronousQueue<>(true);
  private final AtomicInteger waiting = new AtomicInteger();
  private final ReplicaSpread.Visits visits = new ReplicaSpread.Visits();
  private volatile @Nullable FallbackException refusal;
  private volatile @Nullable FallbackException refusalForNow;
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
   * @param nanos as System.nanoTime, for telling which readers are idle, when to ask for a queue
   *     again and when to wait for one no longer
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

  /** How a run that it lends chooses between replicas. */
  ReplicaSpread newSpread() {
    return new ReplicaSpread(visits, bound -> ThreadLocalRandom.current().nextInt(bound));
  }

  /** Queues that readers hold now, or keep between two reads. */
  int lentQueues() {
    return Math.max(0, queues.get() - idle.size());
  }

  /** Readers that wait for a queue now. */
  int waiting() {
    return waiting.get();
  }

  /** Whether readers wait for a queue: then nobody should keep one between two reads. */
  boolean isScarce() {
    return waiting.get() > 0;
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
   * Lends one, with a queue unless there is a {@link #refusal}. Waits for it for up to {@link
   * #MAX_WAIT}.
   *
   * @param clock of the leases that it reads under
   * @throws FallbackException BUFFERS_EXHAUSTED where none was to be had meanwhile, or the kernel
   *     has none for now; INTERRUPTED, with the thread's interrupt flag still set, where it would
   *     have waited longer
   */
  ReadAhead borrow(MonotonicClock clock) throws FallbackException {
    ReadAhead ahead = take();
    ahead.session().lend(clock);
    return ahead;
  }

  /** The same without waiting, also not before others who wait: null where it would have to. */
  @Nullable ReadAhead tryBorrow(MonotonicClock clock) {
    ReadAhead ahead = isScarce() ? null : withQueue();
    if (ahead != null) {
      ahead.session().lend(clock);
    }
    return ahead;
  }

  private ReadAhead take() throws FallbackException {
    ReadAhead ahead = withQueue();
    if (ahead == null && refusal == null) {
      ahead = awaitQueue();
    }
    return ahead != null ? ahead : new ReadAhead(windows, this, noQueue());
  }

  /** A session that reads past queues: for use only where there is a {@link #refusal}. */
  static ReadSession noQueue() {
    return new ReadSession(NoQueue.INSTANCE);
  }

  private @Nullable ReadAhead withQueue() {
    ReadAhead ahead = idleOrNew();
    if (ahead == null && refusal == null) {
      takeFromIdle();
      ahead = idle.poll();
    }
    return ahead;
  }

  private @Nullable ReadAhead idleOrNew() {
    ReadAhead ahead = idle.poll();
    if (ahead != null) {
      return ahead;
    }
    ReadQueue queue = openQueue();
    return queue == null ? null : new ReadAhead(windows, this, new ReadSession(queue));
  }

  /** Null where the kernel has refused them for good meanwhile. */
  private @Nullable ReadAhead awaitQueue() throws FallbackException {
    long begun = nanos.getAsLong();
    waiting.incrementAndGet();
    try {
      ReadAhead ahead = idleOrNew(); // which may have come before anybody could know of this one
      while (ahead == null && refusal == null) {
        requireHope(nanos.getAsLong() - begun);
        ahead = handedOver.poll(KeptReadAheads.SEARCH_EVERY.toNanos(), TimeUnit.NANOSECONDS);
        if (ahead == null) {
          kept.takeUnmoved(TAKEN_AT_ONCE, this::giveBackUnwaited);
          ahead = idleOrNew();
        }
      }
      return ahead;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(FallbackReason.INTERRUPTED, "waiting for a read queue", e);
    } finally {
      waiting.decrementAndGet();
    }
  }

  private void requireHope(long waitedNanos) throws FallbackException {
    FallbackException why = isRefusedForNow() ? refusalForNow : null;
    if (waitedNanos < MAX_WAIT.toNanos() && (why == null || lentQueues() > 0)) {
      return;
    }
    throw new FallbackException(
        FallbackReason.BUFFERS_EXHAUSTED,
        why != null ? why.detail() : "all " + MAX_QUEUES + " read queues are in use");
  }

  private @Nullable ReadQueue openQueue() {
    if (refusal != null || queues.get() >= MAX_QUEUES || isRefusedForNow()) {
      return null;
    }
    try {
      ReadQueue queue = source.open();
      queues.incrementAndGet();
      refusalForNow = null;
      return queue;
    } catch (FallbackException e) {
      refused(e);
      return null;
    }
  }

  private boolean isRefusedForNow() {
    return refusalForNow != null && nanos.getAsLong() - refusedNanos < RETRY_AFTER.toNanos();
  }

  private void refused(FallbackException why) {
    if (why.reason() == FallbackReason.ASYNC_IO_UNAVAILABLE) {
      refusal = why;
      return;
    }
    refusedNanos = nanos.getAsLong();
    refusalForNow = why;
  }

  /**
   * Puts one aside whose reads are late.
   *
   * @return another session to go on with
   * @throws FallbackException as {@link #borrow}
   */
  ReadSession succeed(ReadAhead late) throws FallbackException {
    giveBackUnwaited(late);
    ReadSession session = take().session();
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
    ahead.forgetReplica();
    if (!ahead.hasQueue()) {
      if (refusal != null && !closed) {
        idle.offer(ahead);
      }
      return;
    }
    if (!closed && queues.get() <= MAX_QUEUES && isScarce() && handedOver.offer(ahead)) {
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
