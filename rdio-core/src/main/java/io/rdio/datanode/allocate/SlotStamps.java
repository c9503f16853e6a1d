// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.write.SlotStamp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes the stamps of a slot, and looks for them. Thread-safe. */
final class SlotStamps {
  private final SlotFiles files;
  private final int unit;

  SlotStamps(SlotFiles files, int unit) {
    this.files = files;
    this.unit = unit;
  }

  /** Writes a stamp to the start of each extent; all are on the device when this returns. */
  void write(Path file, Slot slot) throws IOException {
    ByteBuffer bytes = aligned(unit, unit);
    try (FileChannel channel = files.open(file, StandardOpenOption.WRITE)) {
      for (int i = 0; i < slot.extents().count(); i++) {
        bytes.clear();
        stamp(slot, i).encode(bytes);
        bytes.flip();
        while (bytes.hasRemaining()) {
          channel.write(bytes, slot.extents().start(i) + bytes.position());
        }
      }
      channel.force(true);
    }
  }

  /** Whether a slot has all its stamps. */
  boolean areThere(Path file, Slot slot) throws IOException {
    ByteBuffer bytes = aligned(unit, unit);
    try (FileChannel channel = files.open(file, StandardOpenOption.READ)) {
      for (int i = 0; i < slot.extents().count(); i++) {
        bytes.clear();
        channel.read(bytes, slot.extents().start(i));
        bytes.flip();
        if (!stamp(slot, i).isShownBy(bytes)) {
          return false;
        }
      }
      return true;
    }
  }

  private SlotStamp stamp(Slot slot, int number) {
    return new SlotStamp(slot.number(), slot.nonce(), number, unit);
  }

  /** A buffer of exactly so many bytes that a file may be read into past the page cache. */
  static ByteBuffer aligned(int bytes, int unit) {
    return ByteBuffer.allocateDirect(bytes + unit).alignedSlice(unit).limit(bytes).slice();
  }
}
