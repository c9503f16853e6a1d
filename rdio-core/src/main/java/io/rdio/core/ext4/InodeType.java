// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.util.Locale;

/** What an inode is, by its mode or by the byte that a directory has of it. */
public enum InodeType {
  UNKNOWN(0, 0),
  FILE(0x8, 1),
  DIRECTORY(0x4, 2),
  CHARACTER_DEVICE(0x2, 3),
  BLOCK_DEVICE(0x6, 4),
  FIFO(0x1, 5),
  SOCKET(0xC, 6),
  SYMLINK(0xA, 7);

  private static final int MODE_SHIFT = 12;

  private final int mode;
  private final int entry;

  InodeType(int mode, int entry) {
    this.mode = mode;
    this.entry = entry;
  }

  static InodeType ofMode(int mode) {
    for (InodeType type : values()) {
      if (type.mode == mode >>> MODE_SHIFT) {
        return type;
      }
    }
    return UNKNOWN;
  }

  static InodeType ofEntry(int entry) {
    for (InodeType type : values()) {
      if (type.entry == entry) {
        return type;
      }
    }
    return UNKNOWN;
  }

  /** In words, for people and programs. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
