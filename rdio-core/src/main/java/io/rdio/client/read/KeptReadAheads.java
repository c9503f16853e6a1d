// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where readers keep their {@link ReadAhead} from one read to the next: places of one each, out of
 * which whoever takes it owns it. That lets others take it, too: from a reader that was lost
 * without being closed, and, when they are scarce, from readers that have not moved on for a while.
 *
 * <p>Safe for any number of threads, without locks.
 */
final class KeptReadAheads {
  /** A reader that took longer over what one window holds is not in a hurry. */
  static final Duration IDLE_AFTER = Duration.ofSeconds(1);

  /** How long a search is not repeated. */
  static final Duration SEARCH_EVERY = Duration.ofMillis(10);

  /** A place that is empty, or holds what the reader will go on with. */
  static final class Place extends AtomicReference<@Nullable ReadAhead> {
    private static final long serialVersionUID = 1;
  }

  private static final Cleaner CLEANER = Cleaner.create();

  private final Set<Place> places = ConcurrentHashMap.newKeySet();
  private final LongSupplier nanos;
  private volatile long searchNoSoonerThan;
  private volatile long takeNoSoonerThan;

  KeptReadAheads(LongSupplier nanos) {
    this.nanos = nanos;
    this.searchNoSoonerThan = nanos.getAsLong();
    this.takeNoSoonerThan = searchNoSoonerThan;
  }

  /**
   * Adds a place.
   *
   * @param owner when it is garbage, or the result is used, the place is taken out
   * @param pool takes what is in the place then; never waits for it
   */
  Cleaner.Cleanable add(Object owner, Place place, ReadAheadPool pool) {
    places.add(place);
    return CLEANER.register(owner, new TakeOut(places, place, pool));
  }

  /** What happens when a reader is gone; knows nothing of the reader itself. */
  private record TakeOut(Set<Place> places, Place place, ReadAheadPool pool) implements Runnable {
    @Override
    public void run() {
      places.remove(place);
      ReadAhead ahead = place.getAndSet(null);
      if (ahead != null) {
        pool.giveBackUnwaited(ahead);
      }
    }
  }

  /** Takes what idle readers keep, unless that was done a moment ago. */
  void takeIdle(Consumer<ReadAhead> taker) {
    long now = nanos.getAsLong();
    if (now - searchNoSoonerThan >= 0) {
      searchNoSoonerThan = now + SEARCH_EVERY.toNanos();
      take(now - IDLE_AFTER.toNanos(), Integer.MAX_VALUE, taker);
    }
  }

  /**
   * Takes a few that were not moved on for a moment, for somebody who waits; not again for as long.
   */
  void takeUnmoved(int most, Consumer<ReadAhead> taker) {
    long now = nanos.getAsLong();
    if (now - takeNoSoonerThan >= 0) {
      takeNoSoonerThan = now + SEARCH_EVERY.toNanos();
      take(now - SEARCH_EVERY.toNanos(), most, taker);
    }
  }

  private void take(long movedBy, int most, Consumer<ReadAhead> taker) {
    int taken = 0;
    for (Iterator<Place> all = places.iterator(); taken < most && all.hasNext(); ) {
      Place place = all.next();
      ReadAhead ahead = place.get();
      if (ahead != null && movedBy - ahead.movedNanos() >= 0 && place.compareAndSet(ahead, null)) {
        taker.accept(ahead);
        taken++;
      }
    }
  }

  /** Places in use. */
  int size() {
    return places.size();
  }
}
