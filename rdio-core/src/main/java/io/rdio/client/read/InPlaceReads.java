// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.FallbackException;
import io.rdio.core.extent.ExtentCursor;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads of a {@link ReadAhead} straight into the caller's memory: whole windows, several at a time,
 * which vouch for the bytes and hold none themselves. For one thread at a time.
 */
final class InPlaceReads {
  private final WindowPool pool;
  private final WindowRow windows;
  private final ReadPlan plan;
  private final ExtentCursor cursor = new ExtentCursor();

  /**
   * @param windows of the {@link ReadAhead}, which owns what is left there after a failure
   */
  InPlaceReads(WindowPool pool, WindowRow windows, ReadPlan plan) {
    this.pool = pool;
    this.windows = windows;
    this.plan = plan;
  }

  /**
   * Reads as far as alignment allows, by as many windows at a time as the plan has; there are none
   * before and behind it.
   *
   * @param to all of the caller's buffer
   * @return where in the block ends what could be read; the piece is not moved on
   */
  long read(ReadSession by, Piece piece, ByteBuffer to) throws FallbackException {
    int size = Math.max(plan.inPlaceWindow(piece.rest()), by.replica().largestChunk());
    int most = plan.inPlaceWindows(size);
    int length = piece.rest();
    int begun = 0;
    long done = piece.offset();
    while (begun < length || windows.count() > 0) {
      if (begun < length && windows.count() < most) {
        int bytes = begin(by, piece, begun, to, size);
        begun += bytes;
        length = bytes > 0 ? length : begun;
      } else {
        by.queue().submit();
        done = windows.first().end();
        windows.first().complete();
        windows.takeFirst().release();
      }
    }
    return done;
  }

  /** Begins one window of it behind what has begun; 0 where that must be copied. */
  private int begin(ReadSession by, Piece piece, int begun, ByteBuffer to, int size)
      throws FallbackException {
    MappedReplica from = by.replica();
    ReadWindow window = windows.borrow(pool, size, from.largestChunk());
    if (window == null) {
      return 0;
    }
    int bytes = ReadPlan.inPlaceBytes(piece.rest() - begun, unit(from), window.capacity(from));
    long offset = piece.offset() + begun;
    int at = piece.at() + begun;
    if (bytes == 0 || !fits(from, offset, bytes, to, at)) {
      window.release();
      return 0;
    }
    joinGroup(window, offset, bytes, from.chunkFloor(piece.end()));
    windows.add(window);
    window.beginInPlace(by, offset, bytes, to, at);
    return bytes;
  }

  /** Of which a read must have whole ones: a chunk, or the device's alignment. */
  private static int unit(MappedReplica from) {
    return Math.max(from.chunk(), from.device().alignment());
  }

  /** Whether a range can be read straight to a place in the caller's memory. */
  private boolean fits(MappedReplica from, long first, int length, ByteBuffer to, long at) {
    int alignment = from.device().alignment();
    if (first % from.chunk() != 0
        || length % from.chunk() != 0
        || length % alignment != 0
        || (to.alignmentOffset(0, alignment) + at) % alignment != 0) {
      return false;
    }
    cursor.seek(from.map().blockExtents(), first, length);
    return cursor.remainingAligned(alignment);
  }

  /**
   * Whether the caller's memory is to be read to as soon as what is under way has been used up, if
   * that of its next calls lies as that of this one does.
   */
  boolean goesOnBehind(MappedReplica from, Piece piece) {
    ByteBuffer to = piece.direct();
    return to != null
        && windows.count() > 0
        && plan.mayBeInPlace()
        && couldGoOnAt(from, piece, to, windows.last().end());
  }

  private boolean couldGoOnAt(MappedReplica from, Piece piece, ByteBuffer to, long offset) {
    int unit = unit(from);
    long at = piece.at() + (offset - piece.offset());
    return offset <= from.map().blockLength() - unit && fits(from, offset, unit, to, at);
  }

  private void joinGroup(ReadWindow window, long offset, int bytes, long last) {
    @Nullable ReadWindow inFront = windows.lastOrNull();
    window.joins(inFront, plan.groupEnd(offset, bytes, last));
  }
}
