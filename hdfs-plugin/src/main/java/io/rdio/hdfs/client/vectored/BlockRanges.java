// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeReads;
import java.util.ArrayDeque;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of one block that one vectored read wants: some under way, the others waiting for
 * room. Where one is refused, all that is missing is left to whoever asked. For one thread at a
 * time.
 */
final class BlockRanges {
  private final RangeSource source;
  private final LocatedBlock block;
  private final ArrayDeque<Part> waiting = new ArrayDeque<>();
  private final ArrayDeque<Part> underWay = new ArrayDeque<>();
  private @Nullable RangeReads reads;
  private @Nullable ApartRanges apart;
  private long wanted;
  private long arrived;

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

  BlockRanges(RangeSource source, LocatedBlock block) {
    this.source = source;
    this.block = block;
  }

  /** Wants bytes from an offset of the file on, behind those that it wants already. */
  void add(RangeTarget target, long offset, int count) {
    waiting.addLast(new Part(target, offset, count));
    wanted += count;
  }

  /**
   * Finds out by what to read, which may have to wait for the block's map.
   *
   * @param byDataNode of all sets that a DataNode is to read
   */
  void open(Laps byDataNode) {
    Part last = waiting.getLast();
    try {
      reads = source.open(block, last.offset + last.count - block.getStartOffset(), wanted);
    } catch (FallbackException e) {
      reads = null; // who reads these ranges one by one meets it again, and counts it
    } catch (RuntimeException | LinkageError e) {
      source.failed(e);
    }
    RangeReads by = reads;
    if (by == null) {
      waiting.forEach(part -> part.target.leave());
    } else if (by.isByDataNode()) {
      reads = null;
      leaveTo(new ApartRanges(source, block, by, byDataNode));
    }
  }

  /** Ranges that are in another block, too, are for ordinary reads. */
  private void leaveTo(ApartRanges dataNode) {
    for (Part part : waiting) {
      part.target.leave();
      if (part.count == part.target.range().getLength()) {
        part.target.leaveTo(dataNode);
        dataNode.add(part.count);
      }
    }
    apart = dataNode;
    if (dataNode.isEmpty()) {
      dataNode.abandon();
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
    } catch (FallbackException e) {
      giveUp();
    } catch (RuntimeException | LinkageError e) {
      source.failed(e);
      giveUp();
    }
  }

  private boolean beginFirst(RangeReads by, Part part) throws FallbackException {
    if (part.target.isLeft()) {
      return true;
    }
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

  /** Whose parts are under way, some several times. */
  Stream<RangeTarget> begun() {
    return underWay.stream().map(part -> part.target);
  }

  /**
   * Waits for all that there is room for, which may be more by now, and gives back what it was read
   * by, which makes room for the next block.
   *
   * @param together of all blocks that are under way with this one
   */
  void complete(Laps together) {
    begin();
    for (RangeReads by = reads; by != null && !underWay.isEmpty(); by = reads) {
      completeFirst(by);
      begin();
    }
    long nanos = together.next();
    RangeReads whole = reads;
    if (whole != null && arrived > 0) {
      whole.took(arrived, nanos);
    }
    close();
  }

  private void completeFirst(RangeReads by) {
    try {
      Part part = underWay.removeFirst();
      int count = by.complete();
      part.target.arrived(count);
      arrived += count;
    } catch (FallbackException e) {
      giveUp();
    } catch (RuntimeException | LinkageError e) {
      source.failed(e);
      giveUp();
    }
  }

  private void giveUp() {
    close();
    underWay.clear();
    waiting.clear();
  }

  /** Gives up all of it, also what a DataNode was to read; idempotent. */
  void abandon() {
    close();
    ApartRanges dataNode = apart;
    if (dataNode != null) {
      dataNode.abandon();
    }
  }

  /** Gives up what is under way; idempotent. */
  void close() {
    RangeReads by = reads;
    reads = null;
    if (by != null) {
      by.close();
    }
  }
}
