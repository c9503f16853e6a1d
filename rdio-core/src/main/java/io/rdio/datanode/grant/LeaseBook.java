// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.table.SlotTable;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All leases, in each order in which they are looked for, what they add up to, and the blocks that
 * recalled pins bar. Only {@link LeaseTable} touches it, under its lock. What throws, an {@code
 * Error} included, leaves no trace.
 */
final class LeaseBook {
  private final SecureRandom random = new SecureRandom();
  private final SlotTable<Long, HeldLease> byId;
  private final Sequence<HeldLease> byNumber = new Sequence<>();
  private final ExpiryQueue byExpiry;

  private final ClientAccounts clients = new ClientAccounts();
  private final AddressAccounts addresses;

  /** How many recalled pins of a block are not gone yet: while there is one, it is barred. */
  private final Map<AnyVersion, Integer> barred = new HashMap<>();

  private long lastNumber;

  /** A block, whatever its generation stamp. */
  private record AnyVersion(String poolId, long blockId) {
    static AnyVersion of(BlockKey block) {
      return new AnyVersion(block.poolId(), block.blockId());
    }
  }

  /**
   * @param stripeBits as of {@link SlotTable}
   */
  LeaseBook(GrantConfig config, int stripeBits) {
    this.byId = new SlotTable<>(lease -> lease.id, stripeBits);
    this.byExpiry = new ExpiryQueue(config.leaseNanos());
    this.addresses = new AddressAccounts(config);
  }

  /**
   * Refuses an address that has its share.
   *
   * @param underWay leases that its request is already going to get
   * @throws FallbackException LEASE_LIMIT
   */
  void check(String address, int underWay) throws FallbackException {
    addresses.check(address, underWay, clients.heapBytes());
  }

  /**
   * Refuses a lease for which the DataNode has no room at all.
   *
   * @param clientId of its holder, whose name may take more than the lease
   * @param pinHeap bytes of the heap that a pin for it would take
   * @throws FallbackException LEASE_LIMIT
   */
  void checkRoom(String clientId, long pinHeap) throws FallbackException {
    addresses.checkRoom(pinHeap, clients.heapBytesWith(clientId));
  }

  /** A new lease on a pin, the newest there. */
  HeldLease add(Holder holder, Pin pin, long expiryNanos) {
    HeldLease lease = null;
    ExpiryQueue.Bucket due = byExpiry.bucket(expiryNanos);
    ClientAccounts.Client client = clients.enter(holder.clientId());
    AddressAccounts.Account address = null;
    boolean added = false;
    try {
      address = addresses.add(holder.address(), pin.bytes());
      lastNumber++;
      lease = withNewId(client, address, pin);
      lease.expiryNanos = expiryNanos;
      byNumber.append(lease);
      added = true;
    } finally {
      if (!added) {
        forget(lease, client, address, pin);
      }
    }
    // Here nothing throws, for nothing is allocated.
    byExpiry.add(lease, due);
    pin.leases.append(lease);
    return lease;
  }

  /** A lease that is found by its id from now on; 0 is none. */
  private HeldLease withNewId(
      ClientAccounts.Client client, AddressAccounts.Account address, Pin pin) {
    HeldLease lease = new HeldLease(random.nextLong(), lastNumber, client, address, pin);
    while (lease.id == 0 || byId.putIfAbsent(lease) != null) {
      lease = new HeldLease(random.nextLong(), lastNumber, client, address, pin);
    }
    return lease;
  }

  private void forget(
      @Nullable HeldLease lease,
      ClientAccounts.Client client,
      AddressAccounts.@Nullable Account address,
      Pin pin) {
    if (lease != null) {
      byId.remove(lease);
    }
    if (address != null) {
      addresses.remove(address, pin.bytes());
    }
    clients.leave(client);
  }

  /** Takes a lease out, also of its pin's. */
  void remove(HeldLease lease) {
    if (lease.pin.recalled) {
      lease.client.recalled.unlink(lease);
    }
    byNumber.remove(lease);
    byExpiry.remove(lease);
    lease.pin.leases.unlink(lease);
    forget(lease, lease.client, lease.address, lease.pin);
  }

  /** A pin is recalled with its leases, and bars its block until {@link #removePin}. */
  void recalled(Pin pin) {
    barred.merge(AnyVersion.of(pin.block()), 1, Integer::sum);
    for (HeldLease lease : pin.leases) {
      lease.client.recalled.append(lease);
    }
  }

  /** Whom an id belongs to, if it is this client's. */
  @Nullable HeldLease find(String clientId, long id) {
    HeldLease lease = byId.find(id);
    return lease != null && lease.clientId().equals(clientId) ? lease : null;
  }

  /** The lease to look at next, if any may have run out before this; see {@link ExpiryQueue}. */
  @Nullable HeldLease firstDue(long beforeNanos) {
    return byExpiry.first(beforeNanos);
  }

  /** Moves on a lease that was looked at; false if it was not renewed since it was filed. */
  boolean refile(HeldLease lease) {
    return byExpiry.refile(lease);
  }

  /** Leases that a client was, or should have been, told to return. */
  long[] recalledOf(String clientId) {
    return clients.recalled(clientId);
  }

  void addPin(long heap) {
    addresses.addPin(heap);
  }

  void removePin(Pin pin) {
    addresses.removePin(pin.heapBytes());
    if (pin.recalled) {
      barred.computeIfPresent(
          AnyVersion.of(pin.block()), (key, count) -> count == 1 ? null : count - 1);
    }
  }

  boolean isBarred(BlockKey block) {
    return barred.containsKey(AnyVersion.of(block));
  }

  /**
   * Refuses a block that is barred.
   *
   * @throws FallbackException RECALL_PENDING
   */
  void checkNotBarred(BlockKey block) throws FallbackException {
    if (isBarred(block)) {
      throw new FallbackException(FallbackReason.RECALL_PENDING, block.toString());
    }
  }

  int count() {
    return addresses.leases();
  }

  /** Bytes of the heap that leases and pins take, as {@link HeapBytes} counts them. */
  long heapBytes() {
    return addresses.heapBytes() + clients.heapBytes();
  }

  /** Up to so many leases behind a number, in the order of their numbers. */
  List<LeaseInfo> list(long after, int max, long nowNanos) {
    return byNumber.after(after, max).stream().map(lease -> info(lease, nowNanos)).toList();
  }

  private static LeaseInfo info(HeldLease lease, long nowNanos) {
    return new LeaseInfo(
        lease.number,
        lease.clientId(),
        lease.pin.block(),
        TimeUnit.NANOSECONDS.toMillis(lease.expiryNanos - nowNanos),
        lease.pin.recalled,
        lease.pin.bytes());
  }
}
