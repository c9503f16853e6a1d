// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import java.time.Duration;

/**
 * How a client talks to DataNode plugins.
 *
 * @param clientId who holds the leases; unique to this client
 * @param rpcTimeout longest wait for one answer
 * @param backOff how long a DataNode is left alone after a failure
 * @param leaseMargin how much earlier than the DataNode this client regards a lease as run out
 * @param versions of the protocol that it speaks
 */
public record MetadataClientSettings(
    String clientId,
    Duration rpcTimeout,
    Duration backOff,
    Duration leaseMargin,
    ProtocolRange versions) {

  /** With all versions of the protocol that this code speaks. */
  public MetadataClientSettings(
      String clientId, Duration rpcTimeout, Duration backOff, Duration leaseMargin) {
    this(clientId, rpcTimeout, backOff, leaseMargin, ProtocolRange.SUPPORTED);
  }
}
