// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.ChecksumCopy;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A block that is being written on a lane: windows of the shared segment that its writer fills, and
 * those that the agent writes, the oldest first. A window that was taken stays the writer's to the
 * end, so that no reader can leave it without one in the middle of a block. For one thread at a
 * time; {@link #end} must follow.
 */
final class LaneWrites {
  /** How long who gives up waits for the agent to have heard it. */
  private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Windows of one writer at most: one that it fills while the agent writes the others. */
  private static final int WINDOWS_MAX = Protocol.WRITES_MAX + 1;

  /** The part of all places that writers leave free, unless they have nothing to write with. */
  private static final int SHARE = 4;

  private final Lane lane;
  private final SharedSegment segment;
  private final BlockToWrite block;
  private final long patienceNanos;
  private final ArrayDeque<Window> empty = new ArrayDeque<>();
  private final ArrayDeque<Window> underWay = new ArrayDeque<>();
  private int windows;

  /** Bytes that a device writes at least, and at whose multiples what it writes must lie. */
  private int unit = 1;

  /** Bytes of whole units and whole chunks: what each window but the last has multiples of. */
  private int step = 1;

  /** Bytes that the block may have. */
  private long limit;

  private @Nullable Window filling;

  /** Bytes in it. */
  private int filled;

  /** Bytes in those before it. */
  private long sent;

  /** Whether the agent may have the block open. */
  private boolean open;

  private LaneWrites(Lane lane, BlockToWrite block) {
    this.lane = lane;
    this.segment = lane.session().segment();
    this.block = block;
    this.patienceNanos = lane.session().writePatienceNanos();
  }

  /**
   * Has the agent allocate a block's replicas.
   *
   * @param lane the new object's, also when this fails
   * @throws FallbackException TargetRefusedException where a target refused; why else there are
   *     none; BUFFERS_EXHAUSTED where there is no place to write from
   */
  static LaneWrites open(Lane lane, BlockToWrite block) throws FallbackException {
    LaneWrites writes = new LaneWrites(lane, block);
    boolean good = false;
    try {
      writes.takeFirst();
      writes.allocate();
      good = true;
      return writes;
    } finally {
      if (!good) {
        writes.end();
      }
    }
  }

  private void takeFirst() throws FallbackException {
    Window window = lane.firstPlaces(wantedBytes());
    if (window == null) {
      throw new FallbackException(
          FallbackReason.BUFFERS_EXHAUSTED,
          "all " + segment.places() + " places shared with " + lane.session() + " are in use");
    }
    windows++;
    empty.add(window);
  }

  /**
   * Bytes that a further window is to have. It is kept for long, and readers want places, too: a
   * quarter of what is free, but a chunk at least.
   */
  private int wantedBytes() {
    int share = Math.max(1, segment.free() / SHARE) * SharedSegment.PLACE_DATA;
    long most = Math.min(Math.min(block.bytes(), Protocol.WRITE_MAX), share);
    return (int) Math.max(block.bytesPerChecksum(), most);
  }

  private void allocate() throws FallbackException {
    try {
      block.putTo(lane.question(block.kind()));
    } catch (MalformedMessageException e) {
      throw new FallbackException(
          FallbackReason.WRITE_UNSUPPORTED, block + ": " + e.getMessage(), e);
    }
    open = true; // from the question on, whether or not it is answered
    lane.post();
    try {
      Frame allocated = lane.answer(Protocol.ALLOCATED, patienceNanos);
      unit = allocated.getInt();
      limit = allocated.getLong();
      allocated.end();
      if (unit < 1 || limit < 1) {
        throw new MalformedMessageException("units of " + unit + " bytes, " + limit + " in all");
      }
      step = stepOf();
    } catch (IOException e) {
      throw lane.broken(e);
    }
    if (capacity(empty.element()) == 0) {
      throw new FallbackException(
          FallbackReason.BUFFERS_EXHAUSTED,
          "no " + step + " bytes side by side are free of what is shared with " + lane.session());
    }
  }

  /** The least common multiple, or more than a window has. */
  private int stepOf() {
    int chunk = block.bytesPerChecksum();
    int small = Math.min(unit, chunk);
    int large = Math.max(unit, chunk);
    long step = large;
    while (step % small != 0 && step <= Protocol.WRITE_MAX) {
      step += large;
    }
    return (int) Math.min(step, Protocol.WRITE_MAX + 1);
  }

  /** Bytes of the block that a window can have; 0 if it is too small. */
  private int capacity(Window window) {
    long byCrcs = (long) SharedSegment.CRC_ROOM / Integer.BYTES * block.bytesPerChecksum();
    long most =
        Math.min(Math.min(byCrcs, window.crcPlaceAt() - dataAt(window)), Protocol.WRITE_MAX);
    return most < 0 ? 0 : (int) most / step * step;
  }

  /** Where in the segment the bytes of a window begin: both ends map it at a huge page's start. */
  private long dataAt(Window window) {
    long units = ((long) window.placeAt() + unit - 1) / unit;
    return units * unit;
  }

  /** Bytes that the block may have yet. */
  long room() {
    return limit - sent - filled;
  }

  /**
   * Adds whole chunks; only the block's last one may be short. What is in a full window is sent
   * when something comes behind it.
   *
   * @param count at most {@link #room}
   */
  void put(byte[] source, int at, int count) throws FallbackException {
    for (int done = 0; done < count; ) {
      Window window = filling;
      if (window != null && filled == capacity(window)) {
        send(window, false);
        window = null;
      }
      if (window == null) {
        window = next();
        filling = window;
      }
      int part = Math.min(count - done, capacity(window) - filled);
      copy(source, at + done, part, window);
      filled += part;
      done += part;
    }
  }

  private void copy(byte[] source, int at, int count, Window to) {
    int chunk = block.bytesPerChecksum();
    long target = segment.address((int) dataAt(to) + filled);
    long crcs = segment.address(to.crcPlaceAt() + filled / chunk * Integer.BYTES);
    ChecksumCopy.fromArray(block.checksumType(), source, at, count, chunk, target, crcs);
  }

  /** A window to be filled. */
  private Window next() throws FallbackException {
    Window window = empty.pollFirst();
    if (window == null && windows < WINDOWS_MAX && segment.free() > segment.places() / SHARE) {
      window = further();
    }
    while (window == null) {
      takeAnswer();
      window = empty.pollFirst();
    }
    return window;
  }

  private @Nullable Window further() {
    Window window = segment.take(wantedBytes());
    if (window != null && capacity(window) == 0) {
      segment.give(window);
      return null;
    }
    windows += window == null ? 0 : 1;
    return window;
  }

  private void send(Window window, boolean isLast) throws FallbackException {
    lane.question(Protocol.WRITE)
        .put(sent)
        .put((int) dataAt(window))
        .put(filled)
        .put(window.crcPlaceAt())
        .put(isLast ? 1 : 0);
    underWay.addLast(window);
    filling = null;
    sent += filled;
    filled = 0;
    lane.post();
  }

  /** Waits for the oldest WRITE. */
  private void takeAnswer() throws FallbackException {
    try {
      Frame written = lane.answer(Protocol.WRITTEN, patienceNanos);
      requireTargets(written.getLong());
      written.end();
    } catch (IOException e) {
      throw lane.broken(e);
    }
    empty.addLast(underWay.removeFirst());
  }

  /** At least one, and none that is not. */
  private long requireTargets(long bits) throws MalformedMessageException {
    if (bits == 0 || bits >>> block.targets() != 0) {
      throw new MalformedMessageException(
          "targets " + Long.toBinaryString(bits) + " of " + block.targets());
    }
    return bits;
  }

  /**
   * Ends the block behind what was put, which is one byte at least.
   *
   * @param needed targets without which the block is of no use
   * @return bits of the targets that have it
   */
  long commit(int needed) throws FallbackException {
    Window last = filling;
    if (last != null) {
      send(last, true);
    }
    while (!underWay.isEmpty()) {
      takeAnswer();
    }
    lane.question(Protocol.COMMIT).put(sent).put(needed);
    lane.post();
    try {
      Frame committed = lane.answer(Protocol.COMMITTED, patienceNanos);
      long bits = requireTargets(committed.getLong());
      committed.end();
      open = false;
      return bits;
    } catch (IOException e) {
      throw lane.broken(e);
    }
  }

  /**
   * Gives windows and lane back, and has the agent give up what was not committed. If that takes
   * more than a moment the lane ends, which says the same. The agent only reads what is in the
   * windows, and nobody commits what it makes of that now: others may have them at once.
   */
  void end() {
    boolean usable = isAborted();
    Window last = filling;
    if (last != null) {
      empty.add(last);
    }
    empty.addAll(underWay);
    empty.forEach(segment::give);
    if (usable) {
      lane.session().giveBack(lane);
    } else {
      lane.session().end(lane);
    }
  }

  private boolean isAborted() {
    if (!open) {
      return true;
    }
    try {
      lane.question(Protocol.ABORT);
      lane.post();
      return lane.skipAnswers(Math.min(MOMENT_NANOS, patienceNanos));
    } catch (FallbackException e) {
      return false; // the agent is gone
    }
  }
}
