// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.rdio.core.wire.ProtocolRange;
import java.net.InetAddress;
import java.util.function.Predicate;

/**
 * Whom a DataNode's metadata plane serves, how, and how much.
 *
 * @param mayListLeases addresses beside the DataNode's own host's that may list the leases; called
 *     by any thread
 * @param versions of the protocol that it speaks
 */
public record MetadataServerPolicy(
    MetadataServerLimits limits, Predicate<InetAddress> mayListLeases, ProtocolRange versions) {

  /** The defaults of all but the connections of one address. */
  public static MetadataServerPolicy of(int connectionsPerAddress) {
    return of(MetadataServerLimits.of(connectionsPerAddress));
  }

  /** With all versions that this code speaks, and listings on the own host only. */
  public static MetadataServerPolicy of(MetadataServerLimits limits) {
    return new MetadataServerPolicy(limits, address -> false, ProtocolRange.SUPPORTED);
  }
}
