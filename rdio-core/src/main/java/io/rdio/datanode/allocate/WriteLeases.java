// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.time.MonotonicClock;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who holds which slot (W3). A lease that is taken out of here, by whatever, never comes back: it
 * is neither renewed nor committed. Thread-safe; memory only.
 */
final class WriteLeases {
  /** Answers of Commits that are remembered, for those who ask again. */
  private static final int ANSWERS_MAX = 10_000;

  private final long leaseNanos;
  private final MonotonicClock clock;
  private final LongSupplier ids;
  private final Map<Long, WriteLease> byId = new HashMap<>();
  private final TreeMap<Long, WriteLease> byNumber = new TreeMap<>();
  private final Map<Long, Answered> answers = new LinkedHashMap<>();
  private long lastNumber;
  private boolean closed;

  /**
   * How a Commit ended.
   *
   * @param result null where HDFS has it: who asks again is answered by what that has
   */
  private record Answered(String clientId, @Nullable CommitResult result) {}

  /**
   * @param ids random numbers, none of which is guessed
   */
  WriteLeases(long leaseNanos, MonotonicClock clock, LongSupplier ids) {
    this.leaseNanos = leaseNanos;
    this.clock = clock;
    this.ids = ids;
  }

  /**
   * Notes a lease, whose term begins now.
   *
   * @return null when no lease is given any more
   */
  synchronized @Nullable WriteLease grant(WriteLease.Lent lent) {
    if (closed || lent.volume().isGone()) {
      return null;
    }
    long id = ids.getAsLong();
    while (id == 0 || byId.containsKey(id)) {
      id = ids.getAsLong();
    }
    WriteLease lease = new WriteLease(id, ++lastNumber, lent, clock.nanos() + leaseNanos);
    byId.put(id, lease);
    byNumber.put(lease.number, lease);
    return lease;
  }

  /** A new term for each lease that runs, in milliseconds; 0 for all others. */
  synchronized long[] renew(String clientId, long[] leaseIds) {
    long now = clock.nanos();
    long[] terms = new long[leaseIds.length];
    for (int i = 0; i < leaseIds.length; i++) {
      WriteLease lease = held(clientId, leaseIds[i]);
      if (lease != null && !lease.committing && lease.expiryNanos - now > 0) {
        lease.expiryNanos = now + leaseNanos;
        terms[i] = TimeUnit.NANOSECONDS.toMillis(leaseNanos);
      }
    }
    return terms;
  }

  /** The lease of this id, if this client has it. */
  synchronized @Nullable WriteLease find(String clientId, long leaseId) {
    return held(clientId, leaseId);
  }

  private @Nullable WriteLease held(String clientId, long leaseId) {
    WriteLease lease = byId.get(leaseId);
    return lease != null && lease.lent.holder().clientId().equals(clientId) ? lease : null;
  }

  /** How the Commit of this lease ended, if it did, that is still known, and it was final. */
  synchronized @Nullable CommitResult answer(String clientId, long leaseId) {
    Answered answered = answered(clientId, leaseId);
    return answered == null ? null : answered.result();
  }

  private @Nullable Answered answered(String clientId, long leaseId) {
    Answered answered = answers.get(leaseId);
    return answered != null && answered.clientId().equals(clientId) ? answered : null;
  }

  /**
   * Gives a lease to its Commit: from now on nothing else ends it.
   *
   * @return false if it is another Commit's, or has run out or ended
   */
  synchronized boolean beginCommit(WriteLease lease) {
    if (byId.get(lease.id) != lease || lease.committing || lease.expiryNanos - clock.nanos() <= 0) {
      return false;
    }
    lease.committing = true;
    return true;
  }

  /** Whether a Commit of this lease is under way. */
  synchronized boolean isCommitting(WriteLease lease) {
    return byId.get(lease.id) == lease && lease.committing;
  }

  /**
   * The lease's Commit has ended so.
   *
   * @param isFinal whether who asks again is answered the same
   */
  synchronized void endCommit(WriteLease lease, CommitResult result, boolean isFinal) {
    remove(lease);
    if (answers.size() >= ANSWERS_MAX) {
      Iterator<Long> oldest = answers.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
    String clientId = lease.lent.holder().clientId();
    answers.put(lease.id, new Answered(clientId, isFinal ? result : null));
  }

  /** Ends one and returns it, if the client has it and it is not being committed. */
  synchronized @Nullable WriteLease abort(String clientId, long leaseId) {
    WriteLease lease = held(clientId, leaseId);
    return lease != null && end(lease) ? lease : null;
  }

  /** Whether a Commit has ended it, however, or will: then each write by it was answered (W11). */
  synchronized boolean isOfCommit(String clientId, long leaseId) {
    WriteLease lease = held(clientId, leaseId);
    return lease == null ? answered(clientId, leaseId) != null : lease.committing;
  }

  /** Those on a volume that are not being committed. */
  synchronized List<WriteLease> on(SlotVolume volume) {
    return byId.values().stream()
        .filter(lease -> !lease.committing && lease.lent.volume() == volume)
        .toList();
  }

  /**
   * Notes whether a lease's replica is still there.
   *
   * @return whether it has been gone for so long
   */
  synchronized boolean noteLost(WriteLease lease, boolean isThere, long nanos) {
    long now = clock.nanos();
    if (isThere || !lease.lost) {
      lease.lost = !isThere;
      lease.lostSinceNanos = now;
    }
    return lease.lost && now - lease.lostSinceNanos >= nanos;
  }

  /**
   * Ends one.
   *
   * @return false if it is being committed, or was ended
   */
  synchronized boolean end(WriteLease lease) {
    if (byId.get(lease.id) != lease || lease.committing) {
      return false;
    }
    remove(lease);
    return true;
  }

  /** Ends those that have run out. */
  synchronized List<WriteLease> expire() {
    long now = clock.nanos();
    return end(lease -> lease.expiryNanos - now <= 0);
  }

  /** Ends all on a volume that HDFS has no more, but for those that are being committed. */
  synchronized List<WriteLease> endAllOn(SlotVolume volume) {
    return end(lease -> lease.lent.volume() == volume);
  }

  private List<WriteLease> end(Predicate<WriteLease> which) {
    List<WriteLease> ended =
        byId.values().stream().filter(lease -> !lease.committing).filter(which).toList();
    ended.forEach(this::remove);
    return ended;
  }

  private void remove(WriteLease lease) {
    byId.remove(lease.id);
    byNumber.remove(lease.number);
  }

  /** Gives no lease any more. Those that there are stay as they are. */
  synchronized void close() {
    closed = true;
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** How many there are on a volume, those being committed among them. */
  synchronized int countOn(SlotVolume volume) {
    return (int) byId.values().stream().filter(lease -> lease.lent.volume() == volume).count();
  }

  synchronized List<WriteLeaseInfo> list(long after, int max) {
    long now = clock.nanos();
    Collection<WriteLease> behind = byNumber.tailMap(after, false).values();
    return behind.stream().limit(max).map(lease -> info(lease, now)).toList();
  }

  private static WriteLeaseInfo info(WriteLease lease, long now) {
    return new WriteLeaseInfo(
        lease.number,
        lease.lent.holder(),
        lease.lent.block(),
        TimeUnit.NANOSECONDS.toMillis(lease.expiryNanos - now),
        lease.lent.slot().bytes());
  }
}
