// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.impl.CombinedFileRange;
import org.jspecify.annotations.Nullable;

/** A range of a file on its way to its buffer, perhaps from several blocks. For one thread. */
final class RangeTarget {
  private final CombinedFileRange range;
  private @Nullable ByteBuffer bytes;
  private int at;
  private int missing;
  private boolean left;
  private @Nullable ApartRanges apart;

  /**
   * @param range not empty
   */
  RangeTarget(CombinedFileRange range) {
    this.range = range;
    this.missing = range.getLength();
  }

  CombinedFileRange range() {
    return range;
  }

  /** Leaves it to whoever asked for it: some of it cannot be read here. */
  void leave() {
    left = true;
  }

  /** Leaves all of it to a DataNode. */
  void leaveTo(ApartRanges dataNode) {
    left = true;
    apart = dataNode;
  }

  /** It as one that is left. */
  Leftover leftover() {
    return new Leftover(range, apart);
  }

  /** Whether it is left, so that none of it need be read. */
  boolean isLeft() {
    return left;
  }

  /**
   * Has a buffer made for it, unless it is left. It is left, too, where none is made that all of it
   * fits in: a read of that range alone tells its caller why.
   */
  void allocate(IntFunction<ByteBuffer> maker) {
    if (left) {
      return;
    }
    ByteBuffer made = make(maker);
    bytes = made;
    if (made == null || made.isReadOnly() || made.remaining() < range.getLength()) {
      left = true;
    } else {
      at = made.position();
    }
  }

  private @Nullable ByteBuffer make(IntFunction<ByteBuffer> maker) {
    try {
      return maker.apply(range.getLength());
    } catch (RuntimeException | OutOfMemoryError e) {
      return null;
    }
  }

  /** The buffer, which there must be. */
  ByteBuffer bytes() {
    return Objects.requireNonNull(bytes);
  }

  /** Where in the buffer the byte at an offset of the file goes. */
  int placeOf(long offset) {
    return at + (int) (offset - range.getOffset());
  }

  /** Notes that so many bytes are there. */
  void arrived(int count) {
    missing -= count;
  }

  /** Whether all bytes are there. */
  boolean isComplete() {
    return missing == 0;
  }

  /** The buffer, with the range's bytes between position and limit. */
  ByteBuffer filled() {
    ByteBuffer whole = bytes();
    whole.limit(at + range.getLength());
    return whole;
  }

  /** Gives the buffer back, if there is one. */
  void giveBack(Consumer<ByteBuffer> release) {
    ByteBuffer made = bytes;
    bytes = null;
    if (made != null) {
      release.accept(made);
    }
  }
}
