// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.client.read.TransferBlock;
import io.rdio.client.read.TransferQueue;
import io.rdio.core.FallbackException;
import io.rdio.nativeio.SharedMemory;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one lane has under way from devices to its process's segment.
 *
 * <p>What is read to again and again is pinned, from the segment's beginning on: finding and
 * dirtying small pages is half of what a read costs the agent in the kernel. It is pinned once so
 * much has gone there as pinning pays for; so a process that reads little has only the memory that
 * it reads to, and one that rests must have this closed. Before it is pinned it is put into huge
 * pages, for what is pinned stays where it is. For one thread at a time.
 */
final class LaneTransfers {
  /** How often over the memory is read to before it is put into huge pages and pinned. */
  private static final int WORTH = 8;

  /** How often a pin is put off since another lane's device writes to the small pages. */
  private static final int PATIENCE = 3;

  private final SegmentMemory segment;
  private final HugePages hugePages;
  private final TransferQueue queue;
  private final ByteBuffer all;
  private @Nullable ByteBuffer pinned;

  /** Bytes that have gone past what is pinned, and how far into the segment. */
  private long unpinnedBytes;

  private int reach;

  /** Bytes from the segment's beginning on that are worth pinning now; 0 if there is no more. */
  private int due;

  private int putOff;
  private boolean refused;

  private LaneTransfers(SegmentMemory segment, HugePages hugePages, TransferQueue queue) {
    this.segment = segment;
    this.hugePages = hugePages;
    this.queue = queue;
    this.all = segment.view();
  }

  /**
   * A new one; {@link #close} must follow.
   *
   * @param most READs under way
   */
  static LaneTransfers open(AgentPorts ports, HugePages hugePages, SegmentMemory segment, int most)
      throws FallbackException {
    return new LaneTransfers(
        segment, hugePages, TransferQueue.open(ports.readContext(), ports.queues(), most));
  }

  /** Somebody begins to read a block; see {@link TransferQueue#beginRun}. */
  void beginRun() {
    queue.beginRun();
  }

  /**
   * Begins a READ; see {@link TransferQueue#begin}.
   *
   * @param room bytes from {@code at} on in the segment that may be written
   */
  void begin(TransferBlock block, long from, int length, TransferQueue.Crcs crcs, int at, int room)
      throws FallbackException {
    queue.begin(block, from, length, crcs, upTo(at + room, length), at);
  }

  /** The segment from its beginning on, at least up to the end of a range that is read to. */
  private ByteBuffer upTo(int end, int bytes) {
    ByteBuffer prefix = pinned;
    if (prefix != null && end <= prefix.capacity()) {
      return prefix;
    }
    if (refused) {
      return all;
    }
    reach = Math.max(reach, end);
    int whole = worthPinning(prefix == null ? 0 : prefix.capacity());
    if (end <= whole) {
      unpinnedBytes += bytes;
      due = unpinnedBytes < (long) WORTH * whole ? 0 : whole;
    }
    return all;
  }

  /**
   * The huge pages that are read to, no more: a single small page among them makes the kernel take
   * all of them for small. What is pinned stays so besides, also if the process has given that
   * memory away meanwhile; so a further pin is at least twice as large, or the last one, and all of
   * them together are less than three times the segment.
   */
  private int worthPinning(int already) {
    long huge = SharedMemory.HUGE_PAGE;
    long most = all.capacity() / huge * huge;
    long reached = Math.min((reach + huge - 1) / huge * huge, most);
    return (int) (reached >= 2L * already || reached == most ? reached : already);
  }

  /** Whether {@link #pin} is worth while, once nothing is under way. */
  boolean isPinDue() {
    return due > 0;
  }

  /**
   * Pins what is due, or puts it off. While the device writes to small pages they cannot become
   * huge ones, and once they are pinned they never can.
   */
  void pin() {
    int whole = due;
    unpinnedBytes = 0;
    due = 0;
    if (pinned == null) {
      segment.pin(); // first: what is taken back from below a pin is lost to both
    }
    boolean later = hugePages.make(segment, pinned == null ? 0 : pinned.capacity(), whole);
    if (later && putOff < PATIENCE) {
      putOff++;
      unpinUnlessPinned();
      return;
    }
    putOff = 0;
    ByteBuffer prefix = all.duplicate().clear().slice(0, whole);
    if (queue.keep(prefix)) {
      pinned = prefix;
    } else {
      refused = true;
      unpinUnlessPinned();
    }
  }

  private void unpinUnlessPinned() {
    if (pinned == null) {
      segment.unpin();
    }
  }

  /** Bytes of the oldest READ under way. */
  int oldestLength() {
    return queue.oldestLength();
  }

  /** Waits for the oldest READ; see {@link TransferQueue#complete}. */
  int complete(int crcsAt) throws FallbackException {
    return queue.complete(all, crcsAt);
  }

  /**
   * Gives up what is under way, and lets go of what is pinned.
   *
   * @return whether nothing is written to the segment any more
   */
  boolean close() {
    try {
      return queue.close();
    } finally {
      if (pinned != null) {
        pinned = null;
        segment.unpin();
      }
    }
  }
}
