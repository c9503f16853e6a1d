// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.plane.FileMap;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a caller asked for: {@code [start, start + count)} of a block, to an array or a buffer from
 * an index on; and how much of it the caller has already. Whoever delivers bytes moves it on.
 *
 * <p>A read runs on its caller's thread from start to end, so each thread has one piece that all of
 * its reads use, and a read need not allocate one. For one thread at a time.
 */
final class Piece {
  private static final ThreadLocal<Piece> OF_THREAD = ThreadLocal.withInitial(Piece::new);

  // One of the two, from of() to release().
  private byte @Nullable [] array;
  private @Nullable ByteBuffer buffer;

  private long start;
  private int at;
  private int count;
  private int done;
  private @Nullable MappedReplica by;

  /** The calling thread's, not in use; a new one where that is in use. */
  static Piece ofThread() {
    Piece piece = OF_THREAD.get();
    return piece.array == null && piece.buffer == null ? piece : new Piece();
  }

  /** Says what is wanted, in an array; {@link #release} must follow. */
  Piece of(long offset, byte[] target, int index, int length) {
    array = target;
    return of(offset, index, length);
  }

  /** The same in a buffer, whose position and limit are nothing to this. */
  Piece of(long offset, ByteBuffer target, int index, int length) {
    buffer = target;
    return of(offset, index, length);
  }

  private Piece of(long offset, int index, int length) {
    start = offset;
    at = index;
    count = length;
    done = 0;
    by = null;
    return this;
  }

  /** Lets go of the caller's memory. */
  void release() {
    by = null;
    array = null;
    buffer = null;
  }

  /** Has the caller get all of it once more. */
  void restart() {
    done = 0;
  }

  /** Notes by which replica bytes were read last, or were to be; null for none. */
  void readBy(@Nullable MappedReplica replica) {
    by = replica;
  }

  /** That replica, or another one if there is none. */
  MappedReplica lastReadBy(MappedReplica otherwise) {
    return by == null ? otherwise : by;
  }

  /** The first byte that was asked for. */
  long start() {
    return start;
  }

  /** How many bytes were asked for. */
  int count() {
    return count;
  }

  /** Where in the block it ends. */
  long end() {
    return start + count;
  }

  /** The first byte that the caller does not have. */
  long offset() {
    return start + done;
  }

  /** Where in the caller's memory that one goes. */
  int at() {
    return at + done;
  }

  /** Bytes that the caller does not have. */
  int rest() {
    return count - done;
  }

  /** Whether the caller has all of it. */
  boolean isDone() {
    return done == count;
  }

  /** The caller's memory if a device could write to it; else null. */
  @Nullable ByteBuffer direct() {
    return buffer != null && buffer.isDirect() ? buffer : null;
  }

  /** The caller has so many more bytes. */
  void moveOn(int bytes) {
    done += bytes;
  }

  /** Takes verified bytes of a buffer from an absolute index on. */
  void put(ByteBuffer from, int index, int bytes) {
    if (array != null) {
      from.get(index, array, at(), bytes);
    } else {
      target().put(at(), from, index, bytes);
    }
    done += bytes;
  }

  /**
   * Takes bytes of chunks, from {@code skip} on, if all of these match their CRCs.
   *
   * @return {@link ChunkVerifier#ALL_GOOD}, or the first chunk that is wrong
   */
  int put(ChunkVerifier chunks, int skip, int bytes) {
    int bad =
        array != null
            ? chunks.copy(skip, bytes, array, at())
            : chunks.copy(skip, bytes, target(), at());
    done += bad == ChunkVerifier.ALL_GOOD ? bytes : 0;
    return bad;
  }

  /** Takes what the block data cache has from the next byte on, perhaps nothing. */
  void take(BlockDataCache cache, FileMap map) {
    done +=
        array != null
            ? cache.read(map, offset(), array, at(), rest())
            : cache.read(map, offset(), target(), at(), rest());
  }

  private ByteBuffer target() {
    if (buffer == null) {
      throw new IllegalStateException("a piece without memory to go to");
    }
    return buffer;
  }
}
