// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.Status;
import io.rdio.core.wire.WriteCodec;
import java.util.HashMap;
import java.util.Map;

/**
 * How many commits clients have under way, and how much memory their CRCs may take, of one address
 * and of all. A volume has bounds of its own. Thread-safe.
 */
final class ServerCommitShares {
  /** Commits of one address. */
  static final int PER_ADDRESS = 32;

  /** Commits of all. */
  static final int MAX = 128;

  /** Bytes of CRCs of one address. */
  static final long BYTES_PER_ADDRESS = 32L << 20;

  /** Bytes of CRCs of all. */
  static final long BYTES_MAX = 64L << 20;

  private final AddressShares commits = new AddressShares(PER_ADDRESS, MAX);

  @GuardedBy("this")
  private final Map<String, Long> bytesOf = new HashMap<>();

  @GuardedBy("this")
  private long bytes;

  /** What the CRCs of a block take at most; how large its chunks are is not in a commit. */
  static long crcBytes(long length) {
    return WriteCodec.crcBytes(length, WriteCodec.CHUNK_BYTES_MIN);
  }

  /**
   * Takes room for one commit; {@link #giveBack} must follow, with the same values.
   *
   * @throws ServerRequestException RESOURCE_EXHAUSTED if there is none now
   */
  void take(String address, long crcBytes) throws ServerRequestException {
    if (!commits.take(address)) {
      throw exhausted(commits.text(address, "commits"));
    }
    if (!takeBytes(address, crcBytes)) {
      commits.giveBack(address);
      throw exhausted(
          "commits with " + crcBytes + " bytes of CRCs more than this DataNode now has room for");
    }
  }

  private static ServerRequestException exhausted(String text) {
    return new ServerRequestException(Status.RESOURCE_EXHAUSTED.withDescription(text));
  }

  private synchronized boolean takeBytes(String address, long crcBytes) {
    long ofAddress = bytesOf.getOrDefault(address, 0L) + crcBytes;
    if (bytes + crcBytes > BYTES_MAX || ofAddress > BYTES_PER_ADDRESS) {
      return false;
    }
    bytes += crcBytes;
    bytesOf.put(address, ofAddress);
    return true;
  }

  void giveBack(String address, long crcBytes) {
    synchronized (this) {
      bytes -= crcBytes;
      bytesOf.computeIfPresent(address, (same, held) -> held == crcBytes ? null : held - crcBytes);
    }
    commits.giveBack(address);
  }

  /** Bytes of CRCs that are taken now. */
  synchronized long bytes() {
    return bytes;
  }

  /** Commits under way now. */
  int commits() {
    return commits.total();
  }
}
