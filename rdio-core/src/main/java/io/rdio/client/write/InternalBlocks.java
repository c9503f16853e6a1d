// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.wire.SlotAsk;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The blocks of one group, each on a target of its own. One that fails is given up, and so is one
 * whose device does not answer in time; the others go on. Different threads may use different
 * blocks at the same time, and each block one thread at a time.
 */
final class InternalBlocks {
  private static final Logger LOG = LoggerFactory.getLogger(InternalBlocks.class);

  private final BlockWriters writers;
  private final GroupAsk group;
  private final List<BlockWriter> blocks;

  @GuardedBy("this")
  private long alive;

  /** Bits of those whose devices did not answer in time. */
  @GuardedBy("this")
  private long silent;

  /** Of the one that failed last. */
  @GuardedBy("this")
  private @Nullable FallbackException failure;

  private InternalBlocks(BlockWriters writers, GroupAsk group, List<BlockWriter> blocks) {
    this.writers = writers;
    this.group = group;
    this.blocks = blocks;
    this.alive = all();
  }

  /**
   * Opens all of them, or none.
   *
   * @throws TargetRefusedException if one of the targets cannot be written to, which says which
   * @throws FallbackException if nothing can be written, whatever the targets
   */
  static InternalBlocks open(BlockWriters writers, Executor parallel, GroupAsk group)
      throws FallbackException {
    List<SlotAsk> asks = IntStream.range(0, group.layout().units()).mapToObj(group::slot).toList();
    return new InternalBlocks(
        writers, group, AllOrNone.open(writers, parallel, group.targets(), asks));
  }

  /** Bits of all of them. */
  long all() {
    return (1L << blocks.size()) - 1;
  }

  /** Bits of those that go on. */
  synchronized long alive() {
    return alive;
  }

  /** Bytes that are written at once at least: the largest unit of all. */
  int unit() {
    return blocks.stream().mapToInt(BlockWriter::unit).max().orElseThrow();
  }

  /** Bytes of the smallest slot. */
  long capacity() {
    return blocks.stream().mapToLong(BlockWriter::capacity).min().orElseThrow();
  }

  /**
   * Refuses to go on with fewer blocks than the data is made of again.
   *
   * @throws FallbackException why the last one that failed did
   */
  synchronized void requireEnough() throws FallbackException {
    if (Long.bitCount(alive) >= group.layout().dataUnits()) {
      return;
    }
    if (failure == null) {
      throw new FallbackException(FallbackReason.ACCESSOR_CLOSED, "the writer of " + group.group());
    }
    throw failure;
  }

  /** What is done for one block; whether it was. */
  @FunctionalInterface
  private interface Work {
    boolean on(BlockWriter block) throws FallbackException;
  }

  private boolean attempt(int unit, Work work) {
    if ((alive() >>> unit & 1) == 0) {
      return false;
    }
    try {
      return work.on(blocks.get(unit));
    } catch (FallbackException e) {
      lose(unit, e);
    } catch (RuntimeException e) { // of one block: the others are none the worse for it
      lose(unit, new FallbackException(FallbackReason.INTERNAL_ERROR, String.valueOf(e), e));
    }
    return false;
  }

  /** Gives a block up, unless that was done before. */
  void lose(int unit, FallbackException why) {
    synchronized (this) {
      if ((alive >>> unit & 1) == 0) {
        return;
      }
      alive &= ~(1L << unit);
      failure = why;
    }
    LOG.warn(
        "RDIO: {} loses block {} on {}",
        group.group(),
        unit,
        group.targets().get(unit).node(),
        why);
    blocks.get(unit).close();
  }

  /** Writes the next bytes of a block, unless it was given up; see {@link BlockWriter#write}. */
  void write(int unit, long offset, long address, int length, boolean isLast) {
    attempt(
        unit,
        block -> {
          block.write(offset, address, length, isLast);
          return true;
        });
  }

  /**
   * Waits until writes of some blocks are over. One whose device takes too long is given up, and is
   * not waited for twice: its writes may be under way behind this.
   *
   * @param units bits of the blocks
   */
  void awaitWrites(CellWrites writes, long units) {
    loseLate(writes.await(units & ~silent(), deviceNanos()));
  }

  private synchronized long silent() {
    return silent;
  }

  /**
   * Waits until blocks are flushed, or not. One whose device takes too long is given up.
   *
   * @param flushing those that are being flushed, from which such ones are taken out
   * @param units bits of the blocks
   * @return bits of those that are given up
   */
  long awaitFlushes(Pending flushing, long units) {
    long late = flushing.remove(flushing.await(units, deviceNanos()));
    loseLate(late);
    return late;
  }

  private long deviceNanos() {
    return writers.deviceTimeout().toNanos();
  }

  private void loseLate(long late) {
    synchronized (this) {
      silent |= late;
    }
    for (long rest = late; rest != 0; rest &= rest - 1) {
      int unit = Long.numberOfTrailingZeros(rest);
      lose(unit, writers.late("block " + unit + " of " + group.group()));
    }
  }

  /**
   * Flushes a block, unless that was done before; see {@link BlockWriter#flush}.
   *
   * @return false if it was given up, or is now
   */
  boolean flush(int unit, long length) {
    return attempt(
        unit,
        block -> {
          block.flush(length);
          return true;
        });
  }

  /**
   * Commits a block that was flushed; see {@link BlockWriter#commit}.
   *
   * @return false if it was given up, or is now; or if it is to be committed later
   */
  boolean commit(int unit, long length, ByteBuffer checksums, CommitPatience patience) {
    return attempt(
        unit,
        block -> {
          try {
            block.commit(length, checksums, patience);
            return true;
          } catch (FallbackException e) {
            if (patience.asksLater(e.reason())) {
              return false;
            }
            throw e;
          }
        });
  }

  /** Gives those up that are not committed. Idempotent; waits for nobody. */
  void close(long units) {
    for (int i = 0; i < blocks.size(); i++) {
      if ((units >>> i & 1) != 0) {
        blocks.get(i).close();
      }
    }
  }
}
