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

  /** Where {@link ExpiryQueue} has it. */
  ExpiryQueue.@Nullable Bucket filed;

  private @Nullable HeldLease earlierDue;
  private @Nullable HeldLease laterDue;
  private @Nullable HeldLease olderOnPin;
  private @Nullable HeldLease newerOnPin;
  private @Nullable HeldLease recalledBefore;
  private @Nullable HeldLease recalledAfter;

  /** The leases of all pins that run out at about the same time. */
  static final LinkedDeque.Links<HeldLease> BY_EXPIRY =
      new LinkedDeque.Links<>(
          lease -> lease.earlierDue,
          (lease, earlier) -> lease.earlierDue = earlier,
          lease -> lease.laterDue,
          (lease, later) -> lease.laterDue = later);

  /** The leases on one pin, the oldest first. */
  static final LinkedDeque.Links<HeldLease> ON_PIN =
      new LinkedDeque.Links<>(
          lease -> lease.olderOnPin,
          (lease, older) -> lease.olderOnPin = older,
          lease -> lease.newerOnPin,
          (lease, newer) -> lease.newerOnPin = newer);

  /** A client's leases that were recalled, the first recalled first. */
  static final LinkedDeque.Links<HeldLease> RECALLED =
      new LinkedDeque.Links<>(
          lease -> lease.recalledBefore,
          (lease, before) -> lease.recalledBefore = before,
          lease -> lease.recalledAfter,
          (lease, after) -> lease.recalledAfter = after);

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
}
