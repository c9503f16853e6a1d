// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import java.time.Duration;

/**
 * What one client address may take of a DataNode's metadata plane. A client, one JVM, has one
 * connection and on it a stream of recalls and short calls.
 *
 * @param connectionsPerAddress at least 1
 * @param handshake a connection on which no HTTP/2 was spoken for this long is closed
 * @param idle one without a call for this long too
 */
record MetadataServerLimits(int connectionsPerAddress, Duration handshake, Duration idle) {
  /** The largest request of a client: some 8,000 renewals, or 1,024 blocks with their tokens. */
  static final int MESSAGE_BYTES_MAX = 512 << 10;

  /** A client with more waits, as HTTP/2 has it. */
  static final int CALLS_PER_CONNECTION = 64;

  /** So that one address never fills all the places in which grants wait. */
  static final int GRANTS_PER_ADDRESS = 64;

  /** Each may be some megabytes that wait for the client to take them. */
  static final int LISTINGS_PER_ADDRESS = 4;

  MetadataServerLimits {
    if (connectionsPerAddress < 1) {
      throw new IllegalArgumentException(
          "connections per address is " + connectionsPerAddress + "; set it to 1 or more");
    }
  }

  static MetadataServerLimits of(int connectionsPerAddress) {
    return new MetadataServerLimits(
        connectionsPerAddress, Duration.ofSeconds(20), Duration.ofMinutes(10));
  }

  /** Calls open at a time, on all connections of an address. */
  int callsPerAddress() {
    return (int) Math.min(Integer.MAX_VALUE, 2L * connectionsPerAddress);
  }
}
