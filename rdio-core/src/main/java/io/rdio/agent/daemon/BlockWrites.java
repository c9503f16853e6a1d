// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.agent.ipc.Protocol;
import io.rdio.client.write.GroupAsk;
import io.rdio.client.write.GroupWriter;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/** Where the agent writes what processes send it. Thread-safe. */
@FunctionalInterface
public interface BlockWrites {
  /** A block whose replicas are written, all at once. For one thread at a time. */
  interface Replicas extends AutoCloseable {
    /** What is written must be of multiples of so many bytes, but for the block's end. */
    int unit();

    /** Bytes that the block may have. */
    long capacity();

    /** Bit {@code i}: target {@code i} goes on. */
    long alive();

    /** Ranges that may be under way at the same time, 1 to {@link Protocol#WRITES_MAX}. */
    int ranges();

    /**
     * Begins to write a range.
     *
     * @param offset where the range before ends
     * @param address of memory that stays as it is until the range is finished, or this is closed
     * @param isLast whether the block ends behind it
     * @param memory keeps that memory mapped, and is held as long as a device may read from it
     * @throws FallbackException when no target is left, or too few for a group
     */
    void begin(long offset, long address, int length, boolean isLast, Object memory)
        throws FallbackException;

    /**
     * Waits until the oldest range that is under way is over: each device has answered it or was
     * given up, or its bytes were copied.
     *
     * @throws FallbackException when no target is left, or too few for a group
     */
    void finishOldest() throws FallbackException;

    /**
     * Whether a device that was given up may still read from the memory of a range that is over:
     * such memory must stay mapped, whatever is in it.
     */
    default boolean isUnderWay() {
      return false;
    }

    /**
     * Makes them replicas of HDFS, durable and known to the NameNode. No range is under way.
     *
     * @param checksums from position to limit, as a meta file has them
     * @param needed targets without which the process cannot go on: once so many have one the
     *     others are not waited for long
     * @return bits of the targets that have one
     * @throws FallbackException when none has
     */
    long commit(long length, ByteBuffer checksums, int needed) throws FallbackException;

    /**
     * Gives up what was not committed, when what is under way was answered, or its devices were
     * given up. Idempotent.
     */
    @Override
    void close();
  }

  /**
   * Has all of a block's replicas allocated, or none.
   *
   * @param bytes that it will have at most
   * @throws FallbackException {@link io.rdio.core.TargetRefusedException} where a target refused
   */
  Replicas open(
      BlockKey block,
      List<GroupWriter.Target> targets,
      long bytes,
      ChecksumSpec.Type checksum,
      int bytesPerChecksum)
      throws FallbackException;

  /**
   * Has all blocks of an erasure-coded group allocated, or none. What is written to it is the
   * group's data in the order of the file; a range is over when that was copied.
   *
   * @throws FallbackException {@link io.rdio.core.TargetRefusedException} where a target refused
   */
  default Replicas open(GroupAsk group) throws FallbackException {
    throw new FallbackException(
        FallbackReason.WRITE_UNSUPPORTED, group.group() + " is erasure coded");
  }

  /** What it has to show, by names. */
  default Map<String, Long> figures() {
    return Map.of();
  }
}
