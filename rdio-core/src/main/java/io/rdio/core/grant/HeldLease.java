// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

/** A lease as the DataNode knows it. Its term belongs to {@link LeaseTable}. */
final class HeldLease {
  final long id;
  final long number;
  final Holder holder;
  final Pin pin;
  long expiryNanos;

  /**
   * @param id what the client shows; nobody can guess it
   * @param number what people see
   */
  HeldLease(long id, long number, Holder holder, Pin pin, long expiryNanos) {
    this.id = id;
    this.number = number;
    this.holder = holder;
    this.pin = pin;
    this.expiryNanos = expiryNanos;
  }
}
