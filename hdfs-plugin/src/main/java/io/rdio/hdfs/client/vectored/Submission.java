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

/**
 * One vectored read by RDIO: the ranges of all of its blocks are begun before the first is waited
 * for, as far as there is memory. What RDIO does not read is left over, and so is what a DataNode
 * has sooner. It never waits for memory while it holds some, nor does it run what its caller has
 * wait for a range: ranges are delivered once all memory is given back. For one thread.
 */
final class Submission {
  /**
   * Blocks at a time, each with a lane or a ring: as many as other readers of the process can
   * easily spare. What is in further blocks is left over.
   */
  private static final int BLOCKS_MAX = 8;

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
   * @param allocate makes the buffers of what can be read
   * @param release takes the buffers of what is left over
   * @param delivered takes each range whose bytes are all there, in the file's order
   * @return what is left over, in any order; each is to be told that it is over
   */
  List<Leftover> read(
      List<CombinedFileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release,
      Consumer<RangeTarget> delivered) {
    List<Leftover> left = new ArrayList<>();
    cut(ranges, left);
    boolean done = false;
    try {
      readBlocks(allocate);
      deliver(left, release, delivered);
      done = true;
    } finally {
      if (!done) {
        byBlock.values().forEach(BlockRanges::abandon);
      }
    }
    return left;
  }

  private void deliver(
      List<Leftover> left, Consumer<ByteBuffer> release, Consumer<RangeTarget> delivered) {
    for (RangeTarget target : targets) {
      if (target.isComplete()) {
        source.read(target.range().getLength());
        delivered.accept(target);
      } else {
        left.add(target.leftover());
        target.giveBack(release);
      }
    }
  }

  private void cut(List<CombinedFileRange> ranges, List<Leftover> left) {
    BlockCuts cuts = new BlockCuts(blocks);
    for (CombinedFileRange range : ranges) {
      List<BlockCuts.Cut> parts = cuts.of(range);
      long further = parts.stream().filter(part -> !byBlock.containsKey(part.block)).count();
      if (parts.isEmpty() || byBlock.size() + further > BLOCKS_MAX) {
        left.add(new Leftover(range, null));
      } else {
        add(new RangeTarget(range), parts);
      }
    }
  }

  private void add(RangeTarget target, List<BlockCuts.Cut> parts) {
    targets.add(target);
    for (BlockCuts.Cut part : parts) {
      byBlock
          .computeIfAbsent(part.block, block -> new BlockRanges(source, blocks.get(block)))
          .add(target, part.offset, part.count);
    }
  }

  private void readBlocks(IntFunction<ByteBuffer> allocate) {
    Collection<BlockRanges> all = byBlock.values();
    try {
      Laps byDataNode = new Laps();
      all.forEach(each -> each.open(byDataNode));
      targets.forEach(target -> target.allocate(allocate)); // not for what cannot be read anyway
      Laps together = new Laps();
      together.begin();
      all.forEach(BlockRanges::begin);
      source.together((int) all.stream().flatMap(BlockRanges::begun).distinct().count());
      all.forEach(each -> each.complete(together));
    } finally {
      all.forEach(BlockRanges::close);
    }
  }
}
