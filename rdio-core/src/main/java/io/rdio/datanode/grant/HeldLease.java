// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import org.jspecify.annotations.Nullable;

/**
 * A lease as the DataNode knows it. What is not final belongs to {@link LeaseTable} and is touched
 * under its lock only. There may be a million of these: {@link HeapBytes} says what one takes.
 */
final class HeldLease extends Sequence.Element<HeldLease> {
  final long id;
  final ClientAccounts.Client client;
  final AddressAccounts.Account address;
  final Pin pin;
  long expiryNanos;

  private @Nullable HeldLease earlierDue;
  private @Nullable HeldLease laterDue;
  private @Nullable HeldLease olderOnPin;
  private @Nullable HeldLease newerOnPin;
  private @Nullable HeldLease recalledBefore;
  private @Nullable HeldLease recalledAfter;

  /**
   * @param id what the client shows; nobody can guess it
   * @param number what people see
   */
  HeldLease(
      long id,
      long number,
      ClientAccounts.Client client,
      AddressAccounts.Account address,
      Pin pin) {
    super(number);
    this.id = id;
    this.client = client;
    this.address = address;
    this.pin = pin;
  }

  String clientId() {
    return client.id();
  }

  /**
   * Leases by the moment at which they run out. All terms are equally long and start at the moment
   * of a grant or a renewal, so that the end of the list is the place of the lease that was granted
   * or renewed last, and no search or timer is needed.
   */
  static final class ExpiryQueue extends LinkedDeque<HeldLease> {
    @Override
    @Nullable HeldLease previous(HeldLease lease) {
      return lease.earlierDue;
    }

    @Override
    @Nullable HeldLease next(HeldLease lease) {
      return lease.laterDue;
    }

    @Override
    void setPrevious(HeldLease lease, @Nullable HeldLease previous) {
      lease.earlierDue = previous;
    }

    @Override
    void setNext(HeldLease lease, @Nullable HeldLease next) {
      lease.laterDue = next;
    }
  }

  /** The leases on one pin, the oldest first. */
  static final class OnPin extends LinkedDeque<HeldLease> {
    @Override
    @Nullable HeldLease previous(HeldLease lease) {
      return lease.olderOnPin;
    }

    @Override
    @Nullable HeldLease next(HeldLease lease) {
      return lease.newerOnPin;
    }

    @Override
    void setPrevious(HeldLease lease, @Nullable HeldLease previous) {
      lease.olderOnPin = previous;
    }

    @Override
    void setNext(HeldLease lease, @Nullable HeldLease next) {
      lease.newerOnPin = next;
    }
  }

  /** A client's leases that were recalled, the first recalled first. */
  static final class Recalled extends LinkedDeque<HeldLease> {
    @Override
    @Nullable HeldLease previous(HeldLease lease) {
      return lease.recalledBefore;
    }

    @Override
    @Nullable HeldLease next(HeldLease lease) {
      return lease.recalledAfter;
    }

    @Override
    void setPrevious(HeldLease lease, @Nullable HeldLease previous) {
      lease.recalledBefore = previous;
    }

    @Override
    void setNext(HeldLease lease, @Nullable HeldLease next) {
      lease.recalledAfter = next;
    }
  }
}
