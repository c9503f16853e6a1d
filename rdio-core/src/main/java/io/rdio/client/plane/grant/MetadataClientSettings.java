// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.core.wire.ProtocolRange;
import java.time.Duration;

/**
 * How a client talks to DataNode plugins.
 *
 * @param clientId who holds the leases; unique to this client
 * @param rpcTimeout longest wait for one answer
 * @param backOff how long a DataNode is left alone after a failure
 * @param leaseMargin how much earlier than the DataNode this client regards a lease as run out
 * @param versions of the protocol that it speaks
 * @param nullChecksums whether a DataNode that has not proved who it is may say that a block has no
 *     checksums
 */
public record MetadataClientSettings(
    String clientId,
    Duration rpcTimeout,
    Duration backOff,
    Duration leaseMargin,
    ProtocolRange versions,
    boolean nullChecksums) {

  /** Where blocks have checksums. */
  public MetadataClientSettings(
      String clientId,
      Duration rpcTimeout,
      Duration backOff,
      Duration leaseMargin,
      ProtocolRange versions) {
    this(clientId, rpcTimeout, backOff, leaseMargin, versions, false);
  }

  /** With all versions of the protocol that this code speaks. */
  public MetadataClientSettings(
      String clientId, Duration rpcTimeout, Duration backOff, Duration leaseMargin) {
    this(clientId, rpcTimeout, backOff, leaseMargin, ProtocolRange.SUPPORTED);
  }
}
