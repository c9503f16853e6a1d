// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.table.SlotTable;
import io.rdio.core.time.MonotonicClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Who holds what: the pins in memory, their leases, and what each volume has pinned. It alone
 * decides that a pin may go: when every lease on it was returned, or ran out longer ago than the
 * longest device read. Thread-safe; its lock is held for work in memory only, and for no longer
 * with millions of leases than with one: what goes through many of them takes the lock for {@value
 * #AT_ONCE} at a time.
 *
 * <p>Life of a pin: {@link #reserve} room, {@link #insert} it with its first lease, then {@link
 * #share} it; {@link #recall} ends granting and renewing; when its last lease is gone it is handed
 * out by {@link #giveBack} or {@link #expire} to be unlinked, and {@link #unpinned} ends it. Until
 * then it counts, and a recalled one bars its block.
 */
final class LeaseTable {
  private static final int AT_ONCE = 1_000;

  // Pins may be used again as fast as they are looked at: then a used one goes.
  private static final int LOOKS_MAX = 1_000;

  // As many stripes as keep each small with millions of elements, for one is copied when it grows.
  private static final int STRIPE_BITS = 10;

  private final GrantConfig config;
  private final MonotonicClock clock;
  private final SlotTable<BlockKey, Pin> pins = new SlotTable<>(Pin::block, STRIPE_BITS);

  @GuardedBy("this")
  private final Sequence<Pin.Place> undeleted = new Sequence<>();

  @GuardedBy("this")
  private final LeaseBook leases;

  @GuardedBy("this")
  private long lastPin;

  LeaseTable(GrantConfig config, MonotonicClock clock) {
    this.config = config;
    this.clock = clock;
    this.leases = new LeaseBook(config, STRIPE_BITS);
  }

  /** The live pin of a block, or null. */
  @Nullable Pin pin(BlockKey block) {
    return pins.find(block);
  }

  /**
   * Whether a client at this address may be granted this block at all now.
   *
   * @param underWay leases that its request is already going to get
   * @throws FallbackException RECALL_PENDING or LEASE_LIMIT
   */
  synchronized void admit(String address, BlockKey block, int underWay) throws FallbackException {
    leases.checkNotBarred(block);
    leases.check(address, underWay);
  }

  /**
   * A new lease on a pin that exists, or null when the block has none.
   *
   * @throws FallbackException RECALL_PENDING, PIN_LIMIT or LEASE_LIMIT
   */
  synchronized GrantResult.@Nullable Granted share(Demand demand) throws FallbackException {
    Pin pin = pins.find(demand.block());
    if (pin == null) {
      return null;
    }
    if (pin.recalled || pin.volume().account().isClosed()) {
      throw new FallbackException(FallbackReason.RECALL_PENDING, demand.block().toString());
    }
    pin.volume().access().checkFence();
    pin.volume().checkDeletedBytes(demand.address(), config.pinnedDeletedBytesPerVolume());
    leases.checkRoom(demand.holder().clientId(), 0);
    pin.used |= !demand.speculative();
    return lease(demand.holder(), pin);
  }

  /**
   * Takes room for one more pin on a volume.
   *
   * @return false when the volume has as many as it may have
   * @throws FallbackException PIN_LIMIT when pins keep too much of deleted blocks there
   */
  synchronized boolean reserve(Volume volume, Demand demand) throws FallbackException {
    volume.checkDeletedBytes(demand.address(), config.pinnedDeletedBytesPerVolume());
    return volume.account().take(demand, config.pinsPerVolume(), clock.nanos());
  }

  /** Gives room back that no pin came to use. */
  synchronized void unreserve(Volume volume, Demand demand) {
    volume.account().giveUp(demand);
  }

  /**
   * What an asker that could not {@link #reserve} may hope for.
   *
   * @param place whether a place is kept for it, as soon as one comes free
   * @param told leases of the pin that is recalled for it, whose holders are to be told
   */
  record Room(boolean place, List<HeldLease> told) {}

  /** Recalls a pin for an asker that found no room, if it is due one; see {@link VolumeAccount}. */
  Room makeRoom(Volume volume, Demand demand) {
    Room room = null;
    for (int looks = 0; room == null; looks++) {
      room = lookForRoom(volume, demand, looks == LOOKS_MAX);
    }
    return room;
  }

  private synchronized @Nullable Room lookForRoom(Volume volume, Demand demand, boolean last) {
    // As long as a holder may take to give the pin back, and a term to come again.
    long due = clock.nanos() + config.holdNanos() + config.leaseNanos();
    VolumeAccount.Promised promised =
        volume.account().promise(demand, config.pinsPerVolume(), due, last);
    if (promised == null) {
      return null;
    }
    Pin victim = promised.toRecall();
    return new Room(promised.place(), victim == null ? List.of() : recall(victim, false));
  }

  /**
   * Takes a new pin in, for which room was reserved, with its first lease. What throws, an {@code
   * Error} included, leaves the table as it was, and the room reserved.
   *
   * @throws FallbackException REPLICA_CHANGED when the volume went away meanwhile, VOLUME_UNFENCED,
   *     RECALL_PENDING when a pin of an earlier version was recalled meanwhile, or LEASE_LIMIT
   */
  synchronized GrantResult.Granted insert(Pin pin, Demand demand) throws FallbackException {
    if (pin.volume().account().isClosed()) {
      throw new FallbackException(
          FallbackReason.REPLICA_CHANGED,
          pin.volume().storage().volumeRoot() + " is no longer in use");
    }
    pin.volume().access().checkFence();
    leases.checkNotBarred(pin.block());
    long heap = pin.heapBytes();
    leases.checkRoom(demand.holder().clientId(), heap);
    if (pins.find(pin.block()) != null) {
      throw new IllegalStateException(pin.block() + " is pinned twice");
    }
    boolean inserted = false;
    try {
      GrantResult.Granted granted = takeIn(pin, demand);
      inserted = true;
      leases.addPin(heap);
      return granted;
    } finally {
      if (!inserted) {
        pins.remove(pin);
        leaveUndeleted(pin);
        pin.volume().account().takeOut(pin);
      }
    }
  }

  @GuardedBy("this")
  private GrantResult.Granted takeIn(Pin pin, Demand demand) {
    pin.volume().account().add(pin, demand);
    Pin.Place place = new Pin.Place(++lastPin, pin);
    undeleted.append(place);
    pin.place = place;
    pins.putIfAbsent(pin);
    return lease(demand.holder(), pin);
  }

  @GuardedBy("this")
  private GrantResult.Granted lease(Holder holder, Pin pin) {
    long expiry = clock.nanos() + config.leaseNanos();
    return new GrantResult.Granted(leases.add(holder, pin, expiry).id, pin.map());
  }

  /**
   * Ends granting and renewing on a pin.
   *
   * @param deleted whether HDFS let the replica go
   * @return the leases whose holders are to be told; none if that was done before
   */
  synchronized List<HeldLease> recall(Pin pin, boolean deleted) {
    if (pins.find(pin.block()) != pin) {
      return List.of();
    }
    if (deleted && !pin.deleted) {
      pin.deleted = true;
      pin.volume().account().deleted(pin);
      leaveUndeleted(pin);
    }
    if (pin.recalled) {
      return List.of();
    }
    pin.volume().account().recalled(pin);
    pin.recalled = true;
    leases.recalled(pin);
    return new ArrayList<>(pin.leases);
  }

  /**
   * New terms for leases.
   *
   * @return for each lease the term in milliseconds from now; 0 when it is unknown, recalled, run
   *     out, or another client's
   */
  long[] renew(String clientId, long[] leaseIds) {
    long[] terms = new long[leaseIds.length];
    for (int from = 0; from < terms.length; from += AT_ONCE) {
      renew(clientId, leaseIds, terms, from);
    }
    return terms;
  }

  /**
   * @param from the first of {@value #AT_ONCE} at most: under one lock, for then the processor
   *     fetches the next lease while it waits for this one
   */
  private synchronized void renew(String clientId, long[] leaseIds, long[] terms, int from) {
    long now = clock.nanos();
    for (int i = from; i < terms.length && i < from + AT_ONCE; i++) {
      HeldLease lease = leases.find(clientId, leaseIds[i]);
      if (lease != null && lease.expiryNanos - now > 0 && lease.pin.isRenewable()) {
        lease.expiryNanos = now + config.leaseNanos();
        // Clients renew what was read since they renewed it last.
        lease.pin.used = true;
        terms[i] = config.leaseMillis();
      }
    }
  }

  /**
   * Ends leases that their holder no longer uses; ids that it does not hold are ignored.
   *
   * @return pins without a lease left, to be unlinked
   */
  List<Pin> giveBack(String clientId, long[] leaseIds) {
    List<Pin> free = new ArrayList<>();
    for (long id : leaseIds) {
      giveBack(clientId, id, free);
    }
    return free;
  }

  private synchronized void giveBack(String clientId, long leaseId, List<Pin> free) {
    HeldLease lease = leases.find(clientId, leaseId);
    if (lease != null) {
      end(lease, free);
    }
  }

  /**
   * Ends leases that ran out longer ago than the longest device read, but for some perhaps that did
   * so within the last hundredth of a term; see {@link ExpiryQueue}.
   *
   * @return pins without a lease left, to be unlinked
   */
  List<Pin> expire() {
    List<Pin> free = new ArrayList<>();
    while (expireSome(free)) {
      // others get the lock in between
    }
    return free;
  }

  private synchronized boolean expireSome(List<Pin> free) {
    long before = clock.nanos() - TimeUnit.MILLISECONDS.toNanos(config.maxIoMillis());
    for (int i = 0; i < AT_ONCE; i++) {
      HeldLease lease = leases.firstDue(before);
      if (lease == null) {
        return false;
      }
      if (lease.expiryNanos < before) {
        end(lease, free);
      } else if (!leases.refile(lease)) {
        return false;
      }
    }
    return true;
  }

  @GuardedBy("this")
  private void end(HeldLease lease, List<Pin> free) {
    Pin pin = lease.pin;
    leases.remove(lease);
    HeldLease oldest = pin.leases.first();
    if (oldest != null) {
      pin.volume().account().charge(pin, oldest.address.address());
      return;
    }
    pins.remove(pin);
    leaveUndeleted(pin);
    pin.volume().account().released(pin);
    free.add(pin);
  }

  @GuardedBy("this")
  private void leaveUndeleted(Pin pin) {
    if (pin.place != null) {
      undeleted.remove(pin.place);
      pin.place = null;
    }
  }

  /** The links of a pin that was handed out are gone, or are a leftover from now on. */
  synchronized void unpinned(Pin pin) {
    pin.volume().account().unpinned(pin);
    leases.removePin(pin);
    if (pin.recalled) {
      notifyAll();
    }
  }

  /**
   * Waits until no recalled pin bars a block any more.
   *
   * @return false when one still does after so long
   */
  synchronized boolean awaitRecalled(BlockKey block, long waitNanos) throws InterruptedException {
    long start = System.nanoTime();
    while (leases.isBarred(block)) {
      long left = waitNanos - (System.nanoTime() - start);
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  /**
   * Lets no further pin in on a volume that the DataNode no longer uses: if the volume comes back,
   * the links on it are taken over as leftovers, which nobody may renew.
   *
   * @return its pins that are not recalled, to be recalled
   */
  synchronized List<Pin> close(Volume volume) {
    volume.account().close();
    return volume.account().livePins();
  }

  /**
   * Some of the pins that HDFS is not known to have let go, in the order in which they were made.
   *
   * @param after the number of the last of the pins before; 0 for the first ones
   * @param max at least 1, and small: the lock is held for all of them
   * @return empty behind the last
   */
  synchronized List<Pin.Place> nextPins(long after, int max) {
    return undeleted.after(after, max);
  }

  /** Leases that a client was, or should have been, told to return. */
  synchronized long[] recalledLeases(String clientId) {
    return leases.recalledOf(clientId);
  }

  synchronized int leaseCount() {
    return leases.count();
  }

  /** Bytes of the heap that leases and pins take, as {@link HeapBytes} counts them. */
  synchronized long heapBytes() {
    return leases.heapBytes();
  }

  /**
   * A page of the leases, by their number. The lock is held for one page only, so that a listing of
   * all pages is no picture of one moment: leases granted meanwhile may come at its end, and those
   * that ended are left out.
   *
   * @param after the last number of the page before; 0 for the first page
   * @param max leases on a page, at least 1
   * @return in the order of their numbers; empty behind the last
   */
  synchronized List<LeaseInfo> list(long after, int max) {
    return leases.list(after, max, clock.nanos());
  }

  /** What a volume has pinned, as one consistent picture. */
  synchronized VolumeStatus status(Volume volume) {
    return volume.status();
  }
}
