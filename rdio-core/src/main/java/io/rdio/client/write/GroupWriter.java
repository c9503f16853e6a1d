// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.wire.SlotAsk;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas of one block, written at the same time from one place in memory. One that fails is
 * given up, and the others go on. For one thread at a time.
 */
public final class GroupWriter implements AutoCloseable {
  /** Targets of one block: more than HDFS names for any. */
  public static final int TARGETS_MAX = 16;

  private static final Logger LOG = LoggerFactory.getLogger(GroupWriter.class);

  private final Executor parallel;
  private final BlockKey block;
  private final List<Target> targets;
  private final List<BlockWriter> replicas;
  private final int unit;
  private final long capacity;
  private final @Nullable FallbackException[] failures;

  /** Ranges that were begun and not finished, the oldest first. */
  private final ArrayDeque<Writing> underWay = new ArrayDeque<>();

  private long begun;
  private long alive;

  /** A range that is written. */
  private static final class Writing {
    final Round round;

    /** By target; to be read when the round is finished. */
    final @Nullable FallbackException[] failed;

    Writing(Round round, @Nullable FallbackException[] failed) {
      this.round = round;
      this.failed = failed;
    }
  }

  /** Where one replica of a block is to be. Immutable. */
  public static final class Target {
    private final DataNodeId node;
    private final byte[] token;
    private final String storageId;

    /**
     * @param token of mode WRITE, in the form of {@code Token.write}; empty where blocks have none
     * @param storageId as the NameNode chose it; "" for the DataNode's own choice
     */
    public Target(DataNodeId node, byte[] token, String storageId) {
      this.node = node;
      this.token = token.clone();
      this.storageId = storageId;
    }

    /** Who is to have it. */
    public DataNodeId node() {
      return node;
    }

    /** As it was given. */
    public byte[] token() {
      return token.clone();
    }

    /** As it was given. */
    public String storageId() {
      return storageId;
    }
  }

  private GroupWriter(
      Executor parallel, BlockKey block, List<Target> targets, List<BlockWriter> replicas) {
    this.parallel = parallel;
    this.block = block;
    this.targets = targets;
    this.replicas = replicas;
    this.unit = replicas.stream().mapToInt(BlockWriter::unit).max().orElseThrow();
    this.capacity = replicas.stream().mapToLong(BlockWriter::capacity).min().orElseThrow();
    this.failures = new @Nullable FallbackException[targets.size()];
    this.alive = all(targets);
  }

  private static long all(List<Target> targets) {
    return (1L << targets.size()) - 1;
  }

  /**
   * Opens a replica on each target, or on none.
   *
   * @param parallel where the targets are worked for at the same time; may reject work
   * @param targets 1 to {@link #TARGETS_MAX}
   * @param bytes a hint: the block's length if it is known, else the block size
   * @param checksum of the block; not NULL
   * @throws TargetRefusedException if one of them cannot be written to, which says which
   * @throws FallbackException if no block can be written, whatever the targets
   * @throws IllegalArgumentException if a value is out of the range that {@link SlotAsk} has for it
   */
  public static GroupWriter open(
      BlockWriters writers,
      Executor parallel,
      BlockKey block,
      List<Target> targets,
      long bytes,
      ChecksumSpec.Type checksum,
      int bytesPerChecksum)
      throws FallbackException {
    if (targets.isEmpty() || targets.size() > TARGETS_MAX) {
      throw new IllegalArgumentException(block + " has " + targets.size() + " targets");
    }
    List<Target> all = List.copyOf(targets);
    List<SlotAsk> asks =
        all.stream()
            .map(
                target ->
                    new SlotAsk(block, target.storageId(), bytes, checksum, bytesPerChecksum, 0))
            .toList();
    return new GroupWriter(parallel, block, all, AllOrNone.open(writers, parallel, all, asks));
  }

  /** Bytes that are written at once at least: the largest unit of all replicas. */
  public int unit() {
    return unit;
  }

  /** Bytes of the smallest slot: the longest block that it can be. */
  public long capacity() {
    return capacity;
  }

  /** Which replicas go on: bit i for target i. */
  public long alive() {
    return alive;
  }

  /**
   * Begins to write the block's next bytes to all replicas that go on. Others may be begun before
   * it is finished: all of them are under way at the same time then.
   *
   * @param offset in the block, where the range that was begun last ends
   * @param address of memory at a multiple of the unit; it stays as it is until the range is
   *     {@linkplain #finishOldest finished}, or this is closed, and nobody looks at it afterwards
   * @param length whole units; any if the block ends behind it
   * @param isLast whether the block ends behind it
   * @throws FallbackException if no replica goes on: why one of them does not
   * @throws IllegalArgumentException if the range is not behind the last one, or not in all slots
   */
  public void begin(long offset, long address, int length, boolean isLast)
      throws FallbackException {
    requireAlive();
    if (offset != begun || length < 0 || length > capacity - offset) {
      throw new IllegalArgumentException(
          String.format(
              "%d bytes at %d of %s, of which %d are written, in slots of %d",
              length, offset, block, begun, capacity));
    }
    begun += length;
    @Nullable FallbackException[] failed = new @Nullable FallbackException[targets.size()];
    Round round =
        Round.begin(
            parallel,
            alive,
            i -> {
              try {
                replicas.get(i).write(offset, address, length, isLast);
              } catch (FallbackException e) {
                failed[i] = e;
              }
            });
    underWay.add(new Writing(round, failed));
  }

  /**
   * Waits until all devices have answered the oldest range that is under way; there must be one.
   *
   * @throws FallbackException if no replica goes on: why one of them does not
   */
  public void finishOldest() throws FallbackException {
    Writing oldest = underWay.remove();
    oldest.round.finish();
    giveUp(oldest.failed);
    requireAlive();
  }

  private void giveUp(@Nullable FallbackException[] failed) {
    for (int i = 0; i < failed.length; i++) {
      FallbackException failure = failed[i];
      boolean goesOn = (alive >>> i & 1) != 0;
      if (goesOn && failure != null) {
        failures[i] = failure;
        LOG.warn("RDIO: {} loses its replica on {}", block, targets.get(i).node, failure);
        alive &= ~(1L << i);
        replicas.get(i).close();
      }
    }
  }

  private void requireAlive() throws FallbackException {
    if (alive != 0) {
      return;
    }
    for (FallbackException failure : failures) {
      if (failure != null) {
        throw failure;
      }
    }
    throw new FallbackException(FallbackReason.ACCESSOR_CLOSED, "the writer of " + block);
  }

  /**
   * Makes replicas of what was written, finalized and known to the NameNode. No range may be under
   * way.
   *
   * @param length of the block: what was written, and at least 1
   * @param checksums its CRCs as in its meta file behind the header, from position to limit; both
   *     stay as they are
   * @param needed replicas without which the block is of no use, at least 1: once there are so many
   *     a DataNode that does not answer is not waited for long
   * @return which replicas there are: bit i for target i
   * @throws FallbackException if there is none: why one of them is not
   * @throws IllegalArgumentException if the length is another
   */
  public long commit(long length, ByteBuffer checksums, int needed) throws FallbackException {
    requireAlive();
    if (!underWay.isEmpty()) {
      throw new IllegalStateException(block + " is still being written");
    }
    @Nullable FallbackException[] failed = new @Nullable FallbackException[targets.size()];
    CommitPatience patience = new CommitPatience(needed);
    Round.run(
        parallel,
        alive,
        i -> {
          try {
            replicas.get(i).commit(length, checksums.duplicate(), patience);
          } catch (FallbackException e) {
            failed[i] = e;
          }
        });
    giveUp(failed);
    requireAlive();
    return alive;
  }

  /** Gives all replicas up that are not committed, when what is under way was answered. */
  @Override
  public void close() {
    underWay.forEach(writing -> writing.round.leave());
    underWay.clear();
    replicas.forEach(BlockWriter::close);
  }
}
