// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.agent.ipc.MalformedMessageException;
import io.rdio.agent.ipc.Protocol;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import java.nio.ByteBuffer;

/**
 * A block that a process writes on a lane, from its first byte on to its last: what the agent has
 * of it, and checks of what the process says of it. For one thread at a time.
 */
final class WrittenBlock implements AutoCloseable {
  private final BlockWrites.Replicas replicas;
  private final WritePermits.Permit permit;
  private final long limit;
  private final int chunk;

  /** The CRCs of what was written: copies, for the process may change its own at any time. */
  private final ByteBuffer checksums;

  private long written;
  private boolean ended;

  /**
   * @param replicas closed together with this
   * @param permit the same
   * @param limit bytes that the block may have
   * @param chunk bytes of which each CRC is made
   */
  WrittenBlock(BlockWrites.Replicas replicas, WritePermits.Permit permit, long limit, int chunk) {
    this.replicas = replicas;
    this.permit = permit;
    this.limit = limit;
    this.chunk = chunk;
    this.checksums = ByteBuffer.allocate(checksumBytes(limit, chunk));
  }

  /**
   * Bytes of the CRCs of some bytes of a block from a chunk's start on.
   *
   * @param length so many that they fit
   */
  static int checksumBytes(long length, int chunk) {
    return Math.toIntExact((length + chunk - 1) / chunk * ChecksumSpec.CRC_BYTES);
  }

  int unit() {
    return replicas.unit();
  }

  long limit() {
    return limit;
  }

  /** Ranges that may be under way at the same time. */
  int ranges() {
    return replicas.ranges();
  }

  /**
   * Begins to write the bytes that follow those that were written or begun.
   *
   * @param offset in the block, as the process says
   * @param dataAt where in the segment they are, which is mapped at a multiple of any unit
   * @param crcAt where in the segment their CRCs are
   * @throws MalformedMessageException if it is anything but what may follow; nothing is written
   * @throws FallbackException if no target goes on
   */
  void begin(SegmentMemory segment, long offset, int dataAt, int length, int crcAt, boolean isLast)
      throws MalformedMessageException, FallbackException {
    boolean follows =
        !ended
            && offset == written
            && length > 0
            && length <= Math.min(Protocol.WRITE_MAX, limit - written)
            && (isLast || (length % replicas.unit() == 0 && length % chunk == 0));
    if (!follows) {
      throw new MalformedMessageException(
          "a WRITE of " + length + " bytes at " + offset + " behind " + written + " of " + limit);
    }
    int crcBytes = checksumBytes(length, chunk);
    boolean held = segment.holds(dataAt, length) && segment.holds(crcAt, crcBytes);
    if (!held || dataAt % replicas.unit() != 0) {
      throw new MalformedMessageException(
          "a WRITE from " + dataAt + ", not of a unit in the segment; CRCs at " + crcAt);
    }
    checksums.put(checksumBytes(written, chunk), segment.view(), crcAt, crcBytes);
    replicas.begin(written, segment.address(dataAt), length, isLast, segment);
    written += length;
    ended = isLast;
  }

  /**
   * Waits for the oldest range that is under way.
   *
   * @return bits of the targets that go on
   * @throws FallbackException if no target goes on
   */
  long finishOldest() throws FallbackException {
    replicas.finishOldest();
    return replicas.alive();
  }

  /**
   * Commits it. Nothing of it is under way.
   *
   * @param length of the block, as the process says
   * @param needed targets without which the process cannot go on
   * @return bits of the targets that have it
   * @throws MalformedMessageException unless its end was written, there
   * @throws FallbackException if none has it
   */
  long commit(long length, int needed) throws MalformedMessageException, FallbackException {
    if (!ended || length != written) {
      throw new MalformedMessageException(
          "a COMMIT of " + length + " bytes behind " + written + (ended ? "" : " without an end"));
    }
    return replicas.commit(length, checksums.slice(0, checksumBytes(length, chunk)), needed);
  }

  /** Whether a device that was given up may still read from the segment. */
  boolean isUnderWay() {
    return replicas.isUnderWay();
  }

  /** Gives it up unless it was committed. Idempotent. */
  @Override
  public void close() {
    try {
      replicas.close();
    } finally {
      permit.close();
    }
  }
}
