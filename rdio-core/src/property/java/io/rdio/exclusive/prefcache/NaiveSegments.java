// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What SegmentCache's Javadoc says, with FIFO, block by block and without regard for speed. */
final class NaiveSegments {
  private enum State {
    FETCHING,
    VALID,
    INVALID
  }

  record Block(int device, long number) implements Comparable<Block> {
    @Override
    public int compareTo(Block o) {
      return device != o.device ? device - o.device : Long.compare(number, o.number);
    }
  }

  private static final class Segment {
    final Map<Block, State> blocks = new HashMap<>();

    long count(State state) {
      return blocks.values().stream().filter(state::equals).count();
    }

    long weight() {
      return count(State.FETCHING) + count(State.VALID);
    }
  }

  /** Told to be fetched, and let go of, since the test last looked. */
  final Set<Block> toPrefetch = new TreeSet<>();

  final Set<Block> discarded = new TreeSet<>();

  long hits;
  long wasted;
  long late;

  private final List<Segment> fifo = new ArrayList<>();
  private final int segmentBlocks;
  private final long capacity;
  private final double dropAt;
  private final OnWrite onWrite;

  NaiveSegments(int segmentBlocks, long capacity, double dropAt, OnWrite onWrite) {
    this.segmentBlocks = segmentBlocks;
    this.capacity = capacity;
    this.dropAt = dropAt;
    this.onWrite = onWrite;
  }

  /** Of blocks in one segment. */
  void evicted(List<Block> blocks) {
    Segment segment = find(blocks.get(0));
    List<Block> fresh = blocks.stream().filter(block -> !isHere(block)).toList();
    if (fresh.isEmpty()) {
      return;
    }
    if (segment == null) {
      segment = new Segment();
      fifo.add(segment);
    }
    for (Block block : fresh) {
      segment.blocks.put(block, State.FETCHING);
    }
    while (fifo.stream().mapToLong(Segment::weight).sum() > capacity) {
      Segment first = fifo.remove(0);
      if (first == segment) {
        fifo.add(first);
      } else {
        drop(first);
      }
    }
    toPrefetch.addAll(fresh);
  }

  void read(List<Block> blocks) {
    hits += blocks.stream().filter(this::isValid).count();
    invalidate(blocks, true);
  }

  void written(List<Block> blocks) {
    if (onWrite == OnWrite.DROP) {
      wasted += blocks.stream().filter(this::isValid).count();
    }
    invalidate(blocks, onWrite == OnWrite.DROP);
  }

  void prefetched(List<Block> blocks) {
    Segment segment = find(blocks.get(0));
    if (segment != null) {
      blocks.forEach(
          block ->
              segment.blocks.computeIfPresent(
                  block, (b, state) -> state == State.FETCHING ? State.VALID : state));
    }
  }

  void prefetchFailed(List<Block> blocks) {
    Segment segment = find(blocks.get(0));
    if (segment != null) {
      blocks.forEach(block -> segment.blocks.remove(block, State.FETCHING));
      retainOrDrop(segment);
    }
  }

  boolean isValid(Block block) {
    Segment segment = find(block);
    return segment != null && segment.blocks.get(block) == State.VALID;
  }

  long segments() {
    return fifo.size();
  }

  long resident() {
    return fifo.stream().mapToLong(segment -> segment.count(State.VALID)).sum();
  }

  private void invalidate(List<Block> blocks, boolean validToo) {
    Segment segment = find(blocks.get(0));
    if (segment == null) {
      return;
    }
    long before = segment.weight();
    for (Block block : blocks) {
      State state = segment.blocks.get(block);
      if (state == State.FETCHING || (validToo && state == State.VALID)) {
        late += state == State.FETCHING ? 1 : 0;
        segment.blocks.put(block, State.INVALID);
      }
    }
    if (segment.weight() < before) {
      retainOrDrop(segment);
    }
  }

  private void retainOrDrop(Segment segment) {
    if (segment.count(State.INVALID) >= dropAt * segment.blocks.size()) {
      fifo.remove(segment);
      drop(segment);
    }
  }

  private void drop(Segment segment) {
    late += segment.count(State.FETCHING);
    wasted += segment.count(State.VALID);
    segment.blocks.forEach(
        (block, state) -> {
          if (state == State.VALID) {
            discarded.add(block);
          }
        });
  }

  private boolean isHere(Block block) {
    Segment segment = find(block);
    State state = segment == null ? null : segment.blocks.get(block);
    return state == State.FETCHING || state == State.VALID;
  }

  private Segment find(Block block) {
    for (Segment segment : fifo) {
      Block any = segment.blocks.keySet().iterator().next();
      if (any.device() == block.device()
          && any.number() / segmentBlocks == block.number() / segmentBlocks) {
        return segment;
      }
    }
    return null;
  }
}
