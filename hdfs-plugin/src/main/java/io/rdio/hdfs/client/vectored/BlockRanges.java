// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeReads;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of one block that one vectored read wants: some under way, the others waiting for
 * room. Where one is refused, all that is missing is left to whoever asked. For one thread at a
 * time.
 */
final class BlockRanges {
  private final LocatedBlock block;
  private final ArrayDeque<Part> waiting = new ArrayDeque<>();
  private final ArrayDeque<Part> underWay = new ArrayDeque<>();
  private @Nullable RangeReads reads;
  private long wanted;

  /** Bytes of the block and whose they are. */
  private static final class Part {
    final RangeTarget target;
    final long offset; // in the file
    final int count;

    Part(RangeTarget target, long offset, int count) {
      this.target = target;
      this.offset = offset;
      this.count = count;
    }
  }

  BlockRanges(LocatedBlock block) {
    this.block = block;
  }

  /** Wants bytes from an offset of the file on, behind those that it wants already. */
  void add(RangeTarget target, long offset, int count) {
    waiting.addLast(new Part(target, offset, count));
    wanted += count;
  }

  /** Finds out by what to read, which may have to wait for the block's map. */
  void open(RangeSource source) {
    Part last = waiting.getLast();
    try {
      reads = source.open(block, last.offset + last.count - block.getStartOffset(), wanted);
    } catch (FallbackException | RuntimeException | LinkageError e) {
      reads = null; // who reads these ranges one by one meets it again, and counts it
    }
  }

  /** Begins as many as there is room for, and waits for none. */
  void begin() {
    RangeReads by = reads;
    if (by == null) {
      return;
    }
    try {
      boolean room = true;
      while (room && !waiting.isEmpty()) {
        room = beginFirst(by, waiting.removeFirst());
      }
      by.submit();
    } catch (FallbackException | RuntimeException | LinkageError e) {
      giveUp();
    }
  }

  private boolean beginFirst(RangeReads by, Part part) throws FallbackException {
    int begun =
        by.begin(
            part.offset - block.getStartOffset(),
            part.target.bytes(),
            part.target.placeOf(part.offset),
            part.count);
    if (begun > 0) {
      underWay.addLast(new Part(part.target, part.offset, begun));
    }
    if (begun < part.count) {
      waiting.addFirst(new Part(part.target, part.offset + begun, part.count - begun));
    }
    return begun > 0;
  }

  /** How many ranges have a part under way. */
  int together() {
    return (int) underWay.stream().map(part -> part.target).distinct().count();
  }

  /** Waits for all that there is room for, and tells of each target that is complete by it. */
  void complete(RangeSource source, Consumer<RangeTarget> completed) {
    RangeReads by = reads;
    try {
      while (by != null && !underWay.isEmpty()) {
        Part part = underWay.removeFirst();
        int count = by.complete();
        source.read(count);
        part.target.arrived(count);
        if (part.target.isComplete()) {
          completed.accept(part.target);
        }
        begin();
        by = reads;
      }
    } catch (FallbackException | RuntimeException | LinkageError e) {
      giveUp();
    }
  }

  private void giveUp() {
    close();
    reads = null;
    underWay.clear();
    waiting.clear();
  }

  /** Gives up what is under way. */
  void close() {
    RangeReads by = reads;
    if (by != null) {
      by.close();
    }
  }
}
