// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.wire.SlotAsk;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas of one block, written at the same time from one place in memory. One that fails is
 * given up, and so is one whose device does not answer in time; the others go on. For one thread at
 * a time.
 *
 * <p>A write that is given up cannot be taken back: its device may read from the memory until it
 * has answered. Nobody is harmed who puts other bytes there meanwhile: they reach a slot that is
 * this writer's still, and that is never committed. But the memory must stay mapped; whoever passes
 * it passes what keeps it so.
 */
public final class GroupWriter implements AutoCloseable {
  /** Targets of one block: more than HDFS names for any. */
  public static final int TARGETS_MAX = 16;

  private static final Logger LOG = LoggerFactory.getLogger(GroupWriter.class);

  private final BlockWriters writers;
  private final Executor parallel;
  private final BlockKey block;
  private final List<Target> targets;
  private final List<BlockWriter> replicas;
  private final int unit;
  private final long capacity;
  private final @Nullable FallbackException[] failures;

  /** Ranges that were begun and not finished, the oldest first. */
  private final ArrayDeque<Writing> underWay = new ArrayDeque<>();

  /** Of ranges that are over, but for targets that were given up. */
  private final List<Round> unanswered = new ArrayList<>();

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

  /** What is done for one target. */
  @FunctionalInterface
  private interface Work {
    void on(int target) throws FallbackException;
  }

  private GroupWriter(
      BlockWriters writers,
      Executor parallel,
      BlockKey block,
      List<Target> targets,
      List<BlockWriter> replicas) {
    this.writers = writers;
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
   * @param parallel where the targets are worked for at the same time; may reject work, and begins
   *     what it takes soon
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
    List<BlockWriter> replicas = AllOrNone.open(writers, parallel, all, asks);
    return new GroupWriter(writers, parallel, block, all, replicas);
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
   * @param memory is held until all devices have answered: as long as it is reachable the memory is
   *     mapped, unless somebody unmaps it, who asks {@link #isUnderWay} before
   * @throws FallbackException if no replica goes on: why one of them does not
   * @throws IllegalArgumentException if the range is not behind the last one, or not in all slots
   */
  public void begin(long offset, long address, int length, boolean isLast, Object memory)
      throws FallbackException {
    requireAlive();
    if (offset != begun || length < 0 || length > capacity - offset) {
      throw new IllegalArgumentException(
          String.format(
              "%d bytes at %d of %s, of which %d are written, in slots of %d",
              length, offset, block, begun, capacity));
    }
    begun += length;
    underWay.add(
        beginForAll(
            i -> {
              try {
                replicas.get(i).write(offset, address, length, isLast);
              } finally {
                Reference.reachabilityFence(memory);
              }
            }));
  }

  private Writing beginForAll(Work work) {
    @Nullable FallbackException[] failed = new @Nullable FallbackException[targets.size()];
    Round round =
        Round.begin(
            parallel,
            alive,
            i -> {
              try {
                work.on(i);
              } catch (FallbackException e) {
                failed[i] = e;
              }
            });
    return new Writing(round, failed);
  }

  /**
   * Waits until the devices of all replicas that go on have answered the oldest range that is under
   * way, or have had their time; there must be one.
   *
   * @throws FallbackException if no replica goes on: why one of them does not
   */
  public void finishOldest() throws FallbackException {
    Writing oldest = underWay.remove();
    try {
      finish(oldest, deviceNanos());
    } finally {
      noteIfUnanswered(oldest);
    }
    requireAlive();
  }

  private long deviceNanos() {
    return writers.deviceTimeout().toNanos();
  }

  /** Those that were given up are not waited for. */
  private void finish(Writing writing, long nanos) {
    giveUpLate(writing.round.finish(alive, nanos));
    for (long rest = alive; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      FallbackException failure = writing.failed[i];
      if (failure != null) {
        giveUp(i, failure);
      }
    }
  }

  private void giveUpLate(long late) {
    for (long rest = late & alive; rest != 0; rest &= rest - 1) {
      giveUp(Long.numberOfTrailingZeros(rest), writers.late(block.toString()));
    }
  }

  private void noteIfUnanswered(Writing writing) {
    if (!writing.round.isDone()) {
      unanswered.add(writing.round);
    }
  }

  /**
   * Whether a device may still read from memory that a range was written from and that is over: of
   * a target that was given up.
   */
  public boolean isUnderWay() {
    unanswered.removeIf(Round::isDone);
    return !unanswered.isEmpty();
  }

  private void giveUp(int target, FallbackException why) {
    failures[target] = why;
    LOG.warn("RDIO: {} loses its replica on {}", block, targets.get(target).node, why);
    alive &= ~(1L << target);
    replicas.get(target).giveUp(why);
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
   * Makes replicas of what was written, finalized and known to the NameNode: each as soon as its
   * device has flushed it. No range may be under way.
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
    CommitPatience patience = new CommitPatience(needed);
    Pending flushing = new Pending(alive);
    Writing commits =
        beginForAll(
            i -> {
              if (isFlushed(i, length, flushing)) {
                replicas.get(i).commit(length, checksums.duplicate(), patience);
              }
            });
    commits.round.doRejected(alive);
    giveUpLate(flushing.remove(flushing.await(alive, deviceNanos())));
    finish(commits, Round.ITS_OWN_TIME);
    requireAlive();
    return alive;
  }

  /** False if it came too late: then it was given up. */
  private boolean isFlushed(int target, long length, Pending flushing) throws FallbackException {
    boolean isInTime;
    try {
      replicas.get(target).flush(length);
    } finally {
      isInTime = flushing.remove(1L << target) != 0;
    }
    return isInTime;
  }

  /**
   * Gives all replicas up that are not committed, when those that went on have answered what is
   * under way, or have had their time.
   */
  @Override
  public void close() {
    long since = System.nanoTime();
    for (Writing writing : underWay) {
      long left = deviceNanos() - (System.nanoTime() - since);
      writing.round.leave(alive, left);
      noteIfUnanswered(writing);
    }
    underWay.clear();
    replicas.forEach(BlockWriter::close);
  }
}
