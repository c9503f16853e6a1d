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
  private long alive;

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
   * Writes the block's next bytes to all replicas that go on, and waits for all their devices.
   *
   * @param offset in the block, where the last write ended
   * @param address of memory at a multiple of the unit; it stays as it is until this returns, and
   *     nobody looks at it afterwards
   * @param length whole units; any if the block ends behind it
   * @param isLast whether the block ends behind it
   * @throws FallbackException if no replica goes on: why one of them does not
   * @throws IllegalArgumentException if the range is not behind the last one, or not in all slots
   */
  public void write(long offset, long address, int length, boolean isLast)
      throws FallbackException {
    requireAlive();
    if (offset < 0 || length < 0 || length > capacity - offset) {
      throw new IllegalArgumentException(
          length + " bytes at " + offset + " of " + block + ", which has room for " + capacity);
    }
    Round.run(
        parallel,
        alive,
        i -> {
          try {
            replicas.get(i).write(offset, address, length, isLast);
          } catch (FallbackException e) {
            failures[i] = e;
          }
        });
    giveUpFailed();
    requireAlive();
  }

  private void giveUpFailed() {
    for (int i = 0; i < failures.length; i++) {
      FallbackException failure = failures[i];
      boolean goesOn = (alive >>> i & 1) != 0;
      if (goesOn && failure != null) {
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
   * Makes replicas of what was written, finalized and known to the NameNode.
   *
   * @param length of the block: what was written, and at least 1
   * @param checksums its CRCs as in its meta file behind the header, from position to limit; both
   *     stay as they are
   * @return which replicas there are: bit i for target i
   * @throws FallbackException if there is none: why one of them is not
   * @throws IllegalArgumentException if the length is another
   */
  public long commit(long length, ByteBuffer checksums) throws FallbackException {
    requireAlive();
    Round.run(
        parallel,
        alive,
        i -> {
          try {
            replicas.get(i).commit(length, checksums.duplicate());
          } catch (FallbackException e) {
            failures[i] = e;
          }
        });
    giveUpFailed();
    requireAlive();
    return alive;
  }

  /** Gives all replicas up that are not committed. Waits for nobody. */
  @Override
  public void close() {
    replicas.forEach(BlockWriter::close);
  }
}
