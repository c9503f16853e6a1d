// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.rdio.core.wire.WriteCodec;
import java.time.Duration;

/**
 * What clients may take of a DataNode's metadata plane, one address and all together. A client, one
 * JVM, has one connection and on it a stream of recalls and short calls. All counts are at least 1.
 *
 * @param connections of all clients
 * @param connectionsPerAddress of the clients at one address
 * @param recallStreams open at a time
 * @param grantsWaiting requests for grants that wait or are at work
 * @param callsQueued calls that wait for a thread; beyond it nothing is read from any connection
 * @param resets of calls by one connection in {@link #RESETS_SECONDS}; it is closed beyond it
 * @param handshake a connection on which no HTTP/2 was spoken for this long is closed
 * @param idle one without a call for this long too
 */
public record MetadataServerLimits(
    int connections,
    int connectionsPerAddress,
    int recallStreams,
    int grantsWaiting,
    int callsQueued,
    int resets,
    Duration handshake,
    Duration idle) {
  /** The largest request of a client: some 8,000 renewals, or 1,024 blocks with their tokens. */
  static final int MESSAGE_BYTES_MAX = 512 << 10;

  /** The largest part of a commit: {@link WriteCodec#PART_BYTES_MAX} and what is around them. */
  static final int PART_MESSAGE_BYTES_MAX = WriteCodec.PART_BYTES_MAX + 1024;

  /** A client with more waits, as HTTP/2 has it. */
  static final int CALLS_PER_CONNECTION = 64;

  /** Requests of which a part is missing; each may hold {@link #MESSAGE_BYTES_MAX}. */
  static final int INCOMING_MAX = 512;

  static final int INCOMING_PER_ADDRESS = 64;

  /** As many where messages may be twice as large, {@link #PART_MESSAGE_BYTES_MAX}. */
  static final int INCOMING_WITH_WRITES_MAX = INCOMING_MAX / 2;

  static final int INCOMING_WITH_WRITES_PER_ADDRESS = INCOMING_PER_ADDRESS / 2;

  /** So that one address never fills all the places in which grants wait. */
  static final int GRANTS_PER_ADDRESS = 64;

  /** Each may be a megabyte that waits for the client to take it. */
  static final int LISTINGS_PER_ADDRESS = 4;

  static final int RESETS_SECONDS = 10;

  public MetadataServerLimits {
    require(connections, "connections");
    require(connectionsPerAddress, "connections per address");
    require(recallStreams, "recall streams");
    require(grantsWaiting, "grants waiting");
    require(callsQueued, "calls queued");
    require(resets, "resets");
  }

  private static void require(int value, String what) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " is " + value + "; set it to 1 or more");
    }
  }

  /** The defaults of all but the connections of one address. */
  public static MetadataServerLimits of(int connectionsPerAddress) {
    return new MetadataServerLimits(
        4096,
        connectionsPerAddress,
        4096,
        256,
        1024,
        200,
        Duration.ofSeconds(20),
        Duration.ofMinutes(10));
  }

  /** Calls open at a time, on all connections of an address. */
  int callsPerAddress() {
    return twice(connectionsPerAddress);
  }

  /** Calls open at a time. */
  int calls() {
    return twice(connections);
  }

  private static int twice(int connections) {
    return (int) Math.min(Integer.MAX_VALUE, 2L * connections);
  }
}
