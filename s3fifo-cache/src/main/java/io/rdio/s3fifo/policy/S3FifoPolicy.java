// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import org.jspecify.annotations.Nullable;

/**
 * S3-FIFO: decides which entry leaves a full cache.
 *
 * <p>A new entry goes to the tail of the <i>small</i> queue, or of the <i>main</i> queue if the
 * <i>ghost</i> queue remembers it. At the head of small, an entry that was hit more than once moves
 * to main with its counter reset; any other is evicted and remembered in ghost. At the head of
 * main, an entry with a counter above 0 goes back to the tail with one less; any other is evicted
 * and forgotten.
 *
 * <p>With unit weights and {@link S3FifoOptions#PAPER} it follows Algorithm 1 of "FIFO Queues are
 * All You Need for Cache Eviction" (SOSP'23) literally, hit for hit ("paper-alg1"). Where the paper
 * leaves a choice:
 *
 * <ul>
 *   <li>the queues' limits are real numbers: small is full from {@code |S| >= 0.1 C}, main is over
 *       its share from {@code |M| > C - 0.1 C};
 *   <li>ghost remembers {@code floor(0.9 C)} entries, is asked after room was made, and forgets an
 *       entry that it was hit for;
 *   <li>counters stop at 3, start at 0, are reset on promotion, and entries evicted from main are
 *       not remembered;
 *   <li>one call of small's eviction promotes until it has evicted one entry or is empty, and each
 *       promotion that takes main over its share evicts one entry from main;
 *   <li>one eviction returns at most {@value #MAX_REINSERTIONS} entries to main's tail and then
 *       evicts the next whatever its counter, so that no caller waits for three walks through a
 *       large main queue of hot entries.
 * </ul>
 *
 * <p>With {@link S3FifoOptions#correlationWindow} hits of the entries that came to small last do
 * not count. The window is that share of small's limit; where weights occur, of as many entries as
 * that has at present. Hot data pays nothing for it: an entry's counter is reset as it leaves the
 * window.
 *
 * <p>Weights generalise sizes: limits are sums of weights. An entry heavier than the cache is
 * evicted at once and displaces nothing; one heavier than the small queue is admitted like any
 * other. An entry of weight 0 is in no queue and is never evicted. Ghost, which knows no weights,
 * remembers {@code ghostRatio} times the number of entries that are queued.
 *
 * <p>Not thread-safe, but {@link S3FifoEntry#hit} may be called by any thread.
 *
 * @param <E> the cache's entry
 */
public final class S3FifoPolicy<E extends S3FifoEntry> {
  /** The most entries that one eviction moves from main's head to its tail. */
  static final int MAX_REINSERTIONS = 1 << 17;

  /** Told of evictions. */
  @FunctionalInterface
  public interface Evictor<E> {
    /**
     * Takes an evicted entry out of the cache. Must not call the policy.
     *
     * @return false if the entry had already been removed by somebody else, so that this is no
     *     eviction
     */
    boolean evict(E entry);
  }

  private final Evictor<? super E> evictor;
  private final FifoQueue<E> small = new FifoQueue<>(S3FifoEntry.SMALL);
  private final FifoQueue<E> main = new FifoQueue<>(S3FifoEntry.MAIN);
  private final GhostQueue ghost = new GhostQueue();
  private final @Nullable AdaptiveSizing adaptive;
  private final S3FifoOptions options;
  private final boolean weighted;

  private long maximum;
  private double smallLimit;
  private double mainLimit;
  private long ghostHits;

  /**
   * Creates an empty policy.
   *
   * @param maximum the most weight to hold, at least 0
   * @param weighted whether weights other than 1 occur
   * @param evictor is told of evictions, during the call that causes them
   */
  public S3FifoPolicy(
      long maximum, boolean weighted, S3FifoOptions options, Evictor<? super E> evictor) {
    this.weighted = weighted;
    this.options = options;
    this.evictor = evictor;
    this.adaptive = options.adaptive() ? new AdaptiveSizing(options.smallRatio()) : null;
    limit(maximum);
  }

  /** Admits a new entry, after evicting others until there is room for it. */
  public void insert(E entry) {
    entry.queuedWeight(entry.weight());
    if (entry.queuedWeight() == 0) {
      entry.location(S3FifoEntry.WEIGHTLESS);
      return;
    }
    if (entry.queuedWeight() > maximum) {
      evictUnconditionally(entry);
      return;
    }
    int fingerprint = entry.fingerprint();
    if (adaptive != null && adaptive.missed(fingerprint)) {
      limit(maximum);
    }
    makeRoom(entry.queuedWeight());
    if (ghost.remove(fingerprint)) {
      ghostHits++;
      main.add(entry);
    } else {
      small.window(windowEntries());
      small.add(entry);
    }
  }

  private int windowEntries() {
    if (options.correlationWindow() == 0) {
      return 0;
    }
    double share = options.correlationWindow() * smallLimit;
    double entries = weighted && small.size() > 0 ? share * small.size() / small.weight() : share;
    return (int) Math.min(entries, Integer.MAX_VALUE);
  }

  /** Forgets an entry that its owner has removed from the cache. Harmless when repeated. */
  public void remove(E entry) {
    switch (entry.location()) {
      case S3FifoEntry.SMALL -> small.retire(entry);
      case S3FifoEntry.MAIN -> main.retire(entry);
      default -> entry.location(S3FifoEntry.RETIRED);
    }
  }

  /**
   * Takes note of an entry that is in the cache and is new or has a new weight, and evicts if that
   * makes the cache too heavy. Harmless when repeated.
   */
  public void update(E entry) {
    int weight = entry.weight();
    switch (entry.location()) {
      case S3FifoEntry.NOWHERE -> insert(entry);
      case S3FifoEntry.SMALL -> reweigh(small, entry, weight);
      case S3FifoEntry.MAIN -> reweigh(main, entry, weight);
      case S3FifoEntry.WEIGHTLESS -> {
        if (weight > 0) {
          insert(entry);
        }
      }
      default -> {}
    }
  }

  /** Changes the most weight to hold and evicts what is too much. */
  public void setMaximum(long newMaximum) {
    limit(newMaximum);
    makeRoom(0);
    ghost.trim(ghostLimit());
  }

  /** Returns the most weight that is held. */
  public long maximum() {
    return maximum;
  }

  /** Returns the weight of the entries in the small queue. */
  public long smallWeight() {
    return small.weight();
  }

  /** Returns the weight of the entries in the main queue. */
  public long mainWeight() {
    return main.weight();
  }

  /** Returns the number of entries in the small queue. */
  public int smallSize() {
    return small.size();
  }

  /** Returns the number of entries in the main queue. */
  public int mainSize() {
    return main.size();
  }

  /** Returns the number of evicted entries that are remembered. */
  public int ghostSize() {
    return ghost.size();
  }

  /** Returns how many insertions found their entry remembered. */
  public long ghostHits() {
    return ghostHits;
  }

  /** Returns the small queue's share of the maximum, which S3-FIFO-D changes. */
  public double smallRatio() {
    return adaptive == null ? options.smallRatio() : adaptive.smallRatio();
  }

  /** Returns the slots in use by live entries and by tombstones of removed ones. */
  int occupiedSlots() {
    return small.occupiedSlots() + main.occupiedSlots();
  }

  private void limit(long newMaximum) {
    if (newMaximum < 0) {
      throw new IllegalArgumentException("maximum is " + newMaximum + ", must be at least 0");
    }
    maximum = newMaximum;
    smallLimit = newMaximum * smallRatio();
    mainLimit = newMaximum - smallLimit;
  }

  private long ghostLimit() {
    long entries = weighted ? (long) small.size() + main.size() : maximum;
    return (long) (entries * options.ghostRatio());
  }

  private void reweigh(FifoQueue<E> queue, E entry, int weight) {
    if (weight == entry.queuedWeight()) {
      return;
    }
    queue.reweigh(entry, weight);
    if (weight > maximum) {
      queue.retire(entry);
      evictUnconditionally(entry);
    }
    makeRoom(0);
  }

  private void makeRoom(long incoming) {
    while (small.weight() + main.weight() + incoming > maximum) {
      if (small.size() > 0 && (small.weight() >= smallLimit || main.size() == 0)) {
        evictFromSmall();
      } else {
        evictFromMain();
      }
    }
  }

  private void evictFromSmall() {
    // The number of entries that are remembered is reckoned with the one that is about to leave.
    long ghostLimit = ghostLimit();
    for (E entry = small.poll(); entry != null; entry = small.poll()) {
      if (isWeightless(entry)) {
        continue;
      }
      int frequency = entry.frequency();
      while (frequency < options.hitsToPromote() && !entry.closeFrequency(frequency)) {
        frequency = entry.frequency();
      }
      if (frequency < options.hitsToPromote()) {
        if (leave(entry)) {
          ghost.add(entry.fingerprint(), ghostLimit);
          if (adaptive != null) {
            adaptive.evictedFromSmall(entry.fingerprint(), small.size() + main.size() + 1L);
          }
        }
        return;
      }
      entry.resetFrequency();
      main.add(entry);
      if (main.weight() > mainLimit) {
        evictFromMain();
      }
    }
  }

  private void evictFromMain() {
    int reinsertions = 0;
    for (E entry = main.poll(); entry != null; entry = main.poll()) {
      if (isWeightless(entry)) {
        continue;
      }
      int frequency = entry.frequency();
      if (frequency == 0 ? entry.closeFrequency(0) : reinsertions == MAX_REINSERTIONS) {
        if (leave(entry) && adaptive != null) {
          adaptive.evictedFromMain(entry.fingerprint(), small.size() + main.size() + 1L);
        }
        return;
      }
      if (frequency > 0) {
        entry.decrement(frequency);
      }
      main.add(entry);
      reinsertions++;
    }
  }

  /** Parks an entry whose weight became 0 while it was queued. */
  private boolean isWeightless(E entry) {
    if (entry.queuedWeight() > 0) {
      return false;
    }
    entry.location(S3FifoEntry.WEIGHTLESS);
    return true;
  }

  private void evictUnconditionally(E entry) {
    leave(entry);
  }

  private boolean leave(E entry) {
    entry.location(S3FifoEntry.RETIRED);
    return evictor.evict(entry);
  }
}
