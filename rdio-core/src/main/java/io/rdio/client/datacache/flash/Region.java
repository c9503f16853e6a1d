// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import java.nio.ByteBuffer;

/** Memory for one region of the file until that is written. Not thread-safe. */
final class Region {
  /** Bytes of a region. */
  static final int BYTES = 2 << 20;

  /** Of no region of the file. */
  static final int NOWHERE = -1;

  private final ByteBuffer memory =
      ByteBuffer.allocateDirect(BYTES + FlashFile.PAGE)
          .alignedSlice(FlashFile.PAGE)
          .slice(0, BYTES);
  private final int chunkBytes;
  private int number = NOWHERE;
  private int used;

  Region(int chunkBytes) {
    this.chunkBytes = chunkBytes;
  }

  /** Which one of the file, or {@link #NOWHERE}. */
  int number() {
    return number;
  }

  /** Makes it another one, of which the first slots are filled. */
  void become(int ofFile, int slotsUsed) {
    number = ofFile;
    used = slotsUsed;
  }

  boolean isFull() {
    return used == BYTES / chunkBytes;
  }

  /**
   * Copies a chunk to the next slot.
   *
   * @return the slot, counted from 0 at the region's start
   */
  int add(ByteBuffer bytes, int length) {
    memory.put(used * chunkBytes, bytes, 0, length);
    return used++;
  }

  /** Copies a chunk out. */
  void copy(int slot, ByteBuffer to, int length) {
    to.put(0, memory, slot * chunkBytes, length);
  }

  /** Moves a chunk to a slot that is not behind its own. */
  void move(int from, int to) {
    if (from != to) {
      memory.put(to * chunkBytes, memory, from * chunkBytes, chunkBytes);
    }
  }

  /** All of it, with a position of its own. */
  ByteBuffer bytes() {
    return memory.duplicate().clear();
  }
}
