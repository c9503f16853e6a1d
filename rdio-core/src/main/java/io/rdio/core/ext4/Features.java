// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.ext4.Feature.Word;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The three feature words of a superblock. Immutable. */
public final class Features {
  /**
   * Features that change what a reader meets everywhere. Those of single files and directories
   * (inline data, encryption, casefold) are refused where one is met.
   */
  private static final Set<Feature> READ =
      EnumSet.of(
          Feature.FILETYPE,
          Feature.RECOVER,
          Feature.META_BG,
          Feature.EXTENTS,
          Feature.BIT64,
          Feature.MMP,
          Feature.FLEX_BG,
          Feature.EA_INODE,
          Feature.CSUM_SEED,
          Feature.LARGE_DIR,
          Feature.INLINE_DATA,
          Feature.ENCRYPT,
          Feature.CASEFOLD);

  private final int compat;
  private final int incompat;
  private final int roCompat;

  Features(int compat, int incompat, int roCompat) {
    this.compat = compat;
    this.incompat = incompat;
    this.roCompat = roCompat;
  }

  public boolean has(Feature feature) {
    return (word(feature.word()) & feature.mask()) != 0;
  }

  /** Names of all that are set, word by word. */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    for (Word word : Word.values()) {
      addNames(word, word(word), names);
    }
    return names;
  }

  /**
   * Refuses what would make this reader misread the file system.
   *
   * @throws Ext4Exception UNSUPPORTED with the names
   */
  void requireReadable() throws Ext4Exception {
    int unread = incompat;
    for (Feature feature : READ) {
      unread &= ~feature.mask();
    }
    List<String> names = new ArrayList<>();
    addNames(Word.INCOMPAT, unread, names);
    // Fast commits are deltas behind the log, which nobody but the kernel applies. A file system
    // that is not in use has none: its journal was emptied.
    if (has(Feature.FAST_COMMIT) && has(Feature.RECOVER)) {
      names.add(Feature.FAST_COMMIT.text());
    }
    if (!names.isEmpty()) {
      throw Ext4Exception.unsupported("feature " + String.join(", ", names));
    }
  }

  private int word(Word word) {
    return switch (word) {
      case COMPAT -> compat;
      case INCOMPAT -> incompat;
      case RO_COMPAT -> roCompat;
    };
  }

  private static void addNames(Word word, int bits, List<String> names) {
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      if ((bits & 1 << bit) != 0) {
        names.add(Feature.nameOf(word, bit));
      }
    }
  }

  @Override
  public String toString() {
    return String.join(" ", names());
  }
}
