// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.lease.LeaseClock;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Who holds what: the pins in memory, their leases, and what each volume has pinned. It alone
 * decides that a pin may go: when every lease on it was returned, or ran out longer ago than the
 * longest device read. Thread-safe; its lock is held for work in memory only.
 *
 * <p>Life of a pin: {@link #reserve} room, {@link #insert} it with its first lease, then {@link
 * #share} it; {@link #recall} ends granting and renewing; when its last lease is gone it is handed
 * out by {@link #giveBack} or {@link #expire} to be unlinked, and {@link #unpinned} ends it. Until
 * then it counts, and a recalled one bars its block.
 */
final class LeaseTable {
  private final GrantConfig config;
  private final LeaseClock clock;
  private final SecureRandom random = new SecureRandom();

  private final Map<BlockKey, Pin> pins = new HashMap<>();
  private final Map<Long, HeldLease> leases = new HashMap<>();
  private final NavigableMap<Long, HeldLease> byNumber = new TreeMap<>();
  private final Set<Pin> recalledPins = new HashSet<>();
  private final AddressAccounts addresses;
  private final Map<AnyVersion, Integer> recallsPending = new HashMap<>();
  private long lastNumber;

  /** A block whatever its generation stamp. */
  private record AnyVersion(String poolId, long blockId) {
    static AnyVersion of(BlockKey block) {
      return new AnyVersion(block.poolId(), block.blockId());
    }
  }

  LeaseTable(GrantConfig config, LeaseClock clock) {
    this.config = config;
    this.addresses = new AddressAccounts(config);
    this.clock = clock;
  }

  /** The live pin of a block, or null. */
  synchronized @Nullable Pin pin(BlockKey block) {
    return pins.get(block);
  }

  /**
   * Whether a client at this address may be granted this block at all now.
   *
   * @param underWay leases that its request is already going to get
   * @throws FallbackException RECALL_PENDING or LEASE_LIMIT
   */
  synchronized void admit(String address, BlockKey block, int underWay) throws FallbackException {
    if (recallsPending.containsKey(AnyVersion.of(block))) {
      throw new FallbackException(FallbackReason.RECALL_PENDING, block.toString());
    }
    addresses.check(address, underWay);
  }

  /**
   * A new lease on a pin that exists, or null when the block has none.
   *
   * @throws FallbackException RECALL_PENDING or PIN_LIMIT
   */
  synchronized GrantResult.@Nullable Granted share(Holder holder, BlockKey block)
      throws FallbackException {
    Pin pin = pins.get(block);
    if (pin == null) {
      return null;
    }
    if (pin.recalled) {
      throw new FallbackException(FallbackReason.RECALL_PENDING, block.toString());
    }
    checkDeletedBytes(pin.volume());
    return lease(holder, pin);
  }

  /**
   * Takes room for one more pin on a volume.
   *
   * @return false when the volume has as many as it may have
   * @throws FallbackException PIN_LIMIT when pins keep too much of deleted blocks there
   */
  synchronized boolean reserve(Volume volume) throws FallbackException {
    checkDeletedBytes(volume);
    if (volume.account().pins >= config.pinsPerVolume()) {
      return false;
    }
    volume.account().pins++;
    return true;
  }

  /** Gives room back that no pin came to use. */
  synchronized void unreserve(Volume volume) {
    volume.account().pins--;
  }

  /**
   * Takes a new pin in, for which room was reserved, with its first lease.
   *
   * @throws FallbackException REPLICA_CHANGED when the volume went away meanwhile
   */
  synchronized GrantResult.Granted insert(Pin pin, Holder holder) throws FallbackException {
    if (pin.volume().account().closed) {
      throw new FallbackException(
          FallbackReason.REPLICA_CHANGED,
          pin.volume().storage().volumeRoot() + " is no longer in use");
    }
    if (pins.putIfAbsent(pin.block(), pin) != null) {
      throw new IllegalStateException(pin.block() + " is pinned twice");
    }
    pin.volume().account().byLastGrant.put(pin.block(), pin);
    pin.volume().account().bytes += pin.bytes();
    return lease(holder, pin);
  }

  private GrantResult.Granted lease(Holder holder, Pin pin) {
    long id = random.nextLong();
    while (id == 0 || leases.containsKey(id)) {
      id = random.nextLong();
    }
    HeldLease lease = new HeldLease(id, ++lastNumber, holder, pin, expiry());
    leases.put(id, lease);
    byNumber.put(lease.number, lease);
    addresses.add(lease);
    pin.leases.add(lease);
    Pin touched = pin.volume().account().byLastGrant.get(pin.block());
    if (touched != pin) {
      throw new IllegalStateException(pin.block() + " is not a pin to grant on");
    }
    return new GrantResult.Granted(id, pin.map());
  }

  private void checkDeletedBytes(Volume volume) throws FallbackException {
    long bytes = volume.account().deletedBytes + volume.leftovers().deletedBytes();
    if (bytes >= config.pinnedDeletedBytesPerVolume()) {
      throw new FallbackException(
          FallbackReason.PIN_LIMIT,
          bytes + " bytes of deleted blocks are pinned on " + volume.storage().volumeRoot());
    }
  }

  private long expiry() {
    return clock.nanos() + TimeUnit.MILLISECONDS.toNanos(config.leaseMillis());
  }

  /** The pin on a volume that was not granted for longest, recalled ones apart. */
  synchronized @Nullable Pin leastRecentlyGranted(Volume volume) {
    Iterator<Pin> eldest = volume.account().byLastGrant.values().iterator();
    return eldest.hasNext() ? eldest.next() : null;
  }

  /**
   * Ends granting and renewing on a pin.
   *
   * @param deleted whether HDFS let the replica go
   * @return the leases whose holders are to be told; none if that was done before
   */
  synchronized List<HeldLease> recall(Pin pin, boolean deleted) {
    if (pins.get(pin.block()) != pin) {
      return List.of();
    }
    if (deleted && !pin.deleted) {
      pin.deleted = true;
      pin.volume().account().deletedBytes += pin.bytes();
    }
    if (pin.recalled) {
      return List.of();
    }
    pin.recalled = true;
    recalledPins.add(pin);
    pin.volume().account().byLastGrant.remove(pin.block());
    recallsPending.merge(AnyVersion.of(pin.block()), 1, Integer::sum);
    return new ArrayList<>(pin.leases);
  }

  /**
   * A new term for a lease.
   *
   * @return the term in milliseconds from now; 0 when the lease is unknown, recalled, run out, or
   *     another client's
   */
  synchronized long renew(String clientId, long leaseId) {
    HeldLease lease = leases.get(leaseId);
    if (lease == null
        || !lease.holder.clientId().equals(clientId)
        || lease.pin.recalled
        || lease.expiryNanos - clock.nanos() <= 0) {
      return 0;
    }
    lease.expiryNanos = expiry();
    return config.leaseMillis();
  }

  /**
   * Ends leases that their holder no longer uses; ids that it does not hold are ignored.
   *
   * @return pins without a lease left, to be unlinked
   */
  synchronized List<Pin> giveBack(String clientId, long[] leaseIds) {
    List<Pin> free = new ArrayList<>();
    for (long id : leaseIds) {
      HeldLease lease = leases.get(id);
      if (lease != null && lease.holder.clientId().equals(clientId)) {
        leases.remove(id);
        end(lease, free);
      }
    }
    return free;
  }

  /**
   * Ends leases that ran out longer ago than the longest device read.
   *
   * @return pins without a lease left, to be unlinked
   */
  synchronized List<Pin> expire() {
    long now = clock.nanos();
    long maxIo = TimeUnit.MILLISECONDS.toNanos(config.maxIoMillis());
    List<Pin> free = new ArrayList<>();
    for (Iterator<HeldLease> all = leases.values().iterator(); all.hasNext(); ) {
      HeldLease lease = all.next();
      if (lease.expiryNanos + maxIo - now < 0) {
        all.remove();
        end(lease, free);
      }
    }
    return free;
  }

  private void end(HeldLease lease, List<Pin> free) {
    byNumber.remove(lease.number);
    addresses.remove(lease);
    Pin pin = lease.pin;
    pin.leases.remove(lease);
    if (pin.leases.isEmpty()) {
      pins.remove(pin.block());
      recalledPins.remove(pin);
      pin.volume().account().byLastGrant.remove(pin.block());
      free.add(pin);
    }
  }

  /** The links of a pin that was handed out are gone, or are a leftover from now on. */
  synchronized void unpinned(Pin pin) {
    Volume.Account account = pin.volume().account();
    account.pins--;
    account.bytes -= pin.bytes();
    if (pin.deleted) {
      account.deletedBytes -= pin.bytes();
    }
    if (pin.recalled) {
      recallsPending.computeIfPresent(
          AnyVersion.of(pin.block()), (block, count) -> count == 1 ? null : count - 1);
    }
  }

  /**
   * Lets no further pin in on a volume that the DataNode no longer uses: if the volume comes back,
   * the links on it are taken over as leftovers, which nobody may renew.
   *
   * @return its pins, to be recalled
   */
  synchronized List<Pin> close(Volume volume) {
    volume.account().closed = true;
    return pins.values().stream().filter(pin -> pin.volume() == volume).toList();
  }

  /** Every pin that HDFS is not known to have let go. */
  synchronized List<Pin> undeletedPins() {
    return pins.values().stream().filter(pin -> !pin.deleted).toList();
  }

  /** Leases that a client was, or should have been, told to return. */
  synchronized long[] recalledLeases(String clientId) {
    // By pin: a client that subscribes again and again must not have all leases looked through.
    return recalledPins.stream()
        .flatMap(pin -> pin.leases.stream())
        .filter(lease -> lease.holder.clientId().equals(clientId))
        .mapToLong(lease -> lease.id)
        .toArray();
  }

  synchronized int leaseCount() {
    return leases.size();
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
    long now = clock.nanos();
    return byNumber.tailMap(after, false).values().stream()
        .limit(max)
        .map(lease -> info(lease, now))
        .toList();
  }

  private static LeaseInfo info(HeldLease lease, long now) {
    return new LeaseInfo(
        lease.number,
        lease.holder.clientId(),
        lease.pin.block(),
        TimeUnit.NANOSECONDS.toMillis(lease.expiryNanos - now),
        lease.pin.recalled,
        lease.pin.bytes());
  }

  /** What a volume has pinned, as one consistent picture. */
  synchronized VolumeStatus status(Volume volume) {
    return volume.status();
  }
}
