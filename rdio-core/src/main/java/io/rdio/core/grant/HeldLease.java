// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

/** A lease as the DataNode knows it. Its term belongs to {@link LeaseTable}. */
final class HeldLease {
  final long id;
  final long number;
  final String clientId;
  final Pin pin;
  long expiryNanos;

  /**
   * @param id what the client shows; nobody can guess it
   * @param number what people see
   */
  HeldLease(long id, long number, String clientId, Pin pin, long expiryNanos) {
    this.id = id;
    this.number = number;
    this.clientId = clientId;
    this.pin = pin;
    this.expiryNanos = expiryNanos;
  }
}
