// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.netty.NettyServerBuilder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS handshakes of a server: bounded in number, and those that fail counted. Tells of the
 * first failure in ten minutes; a stranger must not fill the DataNode's log. Thread-safe.
 */
final class Handshakes {
  private static final Logger LOG = LoggerFactory.getLogger(Handshakes.class);
  private static final int UNDER_WAY_MAX = 1024;
  private static final int PER_ADDRESS_MAX = 64;
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(10);

  // gRPC logs a trace for each connection on which something else than HTTP/2 is spoken. Kept here
  // because loggers that nobody keeps forget their level.
  private static final java.util.logging.Logger GRPC_TRANSPORTS =
      java.util.logging.Logger.getLogger(
          NettyServerBuilder.class.getPackageName() + ".NettyServerTransport");

  static {
    GRPC_TRANSPORTS.setLevel(Level.WARNING);
  }

  private final AddressShares underWay = new AddressShares(PER_ADDRESS_MAX, UNDER_WAY_MAX);
  private final LongAdder failed = new LongAdder();
  private final AtomicLong loudAgainAt = new AtomicLong(System.nanoTime());

  /** False if there are too many; else {@link #ended} must follow, once. */
  boolean begin(String address) {
    return underWay.take(address);
  }

  void ended(String address) {
    underWay.giveBack(address);
  }

  /** Counts a client that did not get in, and says why, sometimes. */
  void failed(String address, String why) {
    failed.increment();
    long due = loudAgainAt.get();
    long now = System.nanoTime();
    if (now - due >= 0 && loudAgainAt.compareAndSet(due, now + QUIET_NANOS)) {
      LOG.warn(
          "RDIO: a client at {} cannot use the metadata plane: {}. More of these in the next ten"
              + " minutes are counted in HandshakesFailed only",
          address,
          why);
    } else {
      LOG.debug("RDIO: a client at {} cannot use the metadata plane: {}", address, why);
    }
  }

  /** Connections that came to nothing for TLS's sake. */
  long failures() {
    return failed.sum();
  }
}
