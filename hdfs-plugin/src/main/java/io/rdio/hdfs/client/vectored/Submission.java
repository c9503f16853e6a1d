// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.impl.CombinedFileRange;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * One vectored read by RDIO: the ranges of all of its blocks are begun before the first is waited
 * for, as far as there is memory, and delivered in the file's order. What RDIO does not read is
 * left over. It never waits for memory while it holds some. For one thread.
 */
final class Submission {
  private final RangeSource source;
  private final List<LocatedBlock> blocks;
  private final TreeMap<Integer, BlockRanges> byBlock = new TreeMap<>();
  private final List<RangeTarget> targets = new ArrayList<>();

  /**
   * @param blocks of the file, in its order
   */
  Submission(RangeSource source, List<LocatedBlock> blocks) {
    this.source = source;
    this.blocks = blocks;
  }

  /**
   * Reads what it can.
   *
   * @param ranges in the file's order; none overlaps another
   * @param release takes the buffers of what is left over
   * @param delivered takes each range whose bytes are all there
   * @return what is left over, in any order
   */
  List<CombinedFileRange> read(
      List<CombinedFileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release,
      Consumer<RangeTarget> delivered) {
    List<CombinedFileRange> left = new ArrayList<>();
    try {
      cut(ranges, allocate, release, left);
      Collection<BlockRanges> all = byBlock.values();
      all.forEach(block -> block.open(source));
      all.forEach(BlockRanges::begin);
      source.together(all.stream().mapToInt(BlockRanges::together).sum());
      all.forEach(block -> block.complete(source, delivered));
    } finally {
      byBlock.values().forEach(BlockRanges::close);
    }
    for (RangeTarget target : targets) {
      if (!target.isComplete()) {
        release.accept(target.bytes());
        left.add(target.range());
      }
    }
    return left;
  }

  private void cut(
      List<CombinedFileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release,
      List<CombinedFileRange> left) {
    BlockCuts cuts = new BlockCuts(blocks);
    for (CombinedFileRange range : ranges) {
      List<BlockCuts.Cut> parts = cuts.of(range);
      ByteBuffer bytes = parts.isEmpty() ? null : buffer(range.getLength(), allocate);
      if (bytes == null) {
        left.add(range);
      } else if (bytes.isReadOnly() || bytes.remaining() < range.getLength()) {
        release.accept(bytes);
        left.add(range);
      } else {
        add(new RangeTarget(range, bytes), parts);
      }
    }
  }

  /** Null where there is none: a read of that range alone tells its caller why. */
  private static @Nullable ByteBuffer buffer(int length, IntFunction<ByteBuffer> allocate) {
    try {
      return allocate.apply(length);
    } catch (RuntimeException | OutOfMemoryError e) {
      return null;
    }
  }

  private void add(RangeTarget target, List<BlockCuts.Cut> parts) {
    targets.add(target);
    for (BlockCuts.Cut part : parts) {
      byBlock
          .computeIfAbsent(part.block, block -> new BlockRanges(blocks.get(block)))
          .add(target, part.offset, part.count);
    }
  }
}
