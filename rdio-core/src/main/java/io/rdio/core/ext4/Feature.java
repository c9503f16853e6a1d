// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

/**
 * The features that a superblock may name, in its three words. Their names are those that mke2fs
 * takes.
 */
public enum Feature {
  DIR_PREALLOC(Word.COMPAT, 0, "dir_prealloc"),
  IMAGIC_INODES(Word.COMPAT, 1, "imagic_inodes"),
  HAS_JOURNAL(Word.COMPAT, 2, "has_journal"),
  EXT_ATTR(Word.COMPAT, 3, "ext_attr"),
  RESIZE_INODE(Word.COMPAT, 4, "resize_inode"),
  DIR_INDEX(Word.COMPAT, 5, "dir_index"),
  SPARSE_SUPER2(Word.COMPAT, 9, "sparse_super2"),
  FAST_COMMIT(Word.COMPAT, 10, "fast_commit"),
  STABLE_INODES(Word.COMPAT, 11, "stable_inodes"),
  ORPHAN_FILE(Word.COMPAT, 12, "orphan_file"),

  COMPRESSION(Word.INCOMPAT, 0, "compression"),
  FILETYPE(Word.INCOMPAT, 1, "filetype"),
  RECOVER(Word.INCOMPAT, 2, "needs_recovery"),
  JOURNAL_DEV(Word.INCOMPAT, 3, "journal_dev"),
  META_BG(Word.INCOMPAT, 4, "meta_bg"),
  EXTENTS(Word.INCOMPAT, 6, "extent"),
  BIT64(Word.INCOMPAT, 7, "64bit"),
  MMP(Word.INCOMPAT, 8, "mmp"),
  FLEX_BG(Word.INCOMPAT, 9, "flex_bg"),
  EA_INODE(Word.INCOMPAT, 10, "ea_inode"),
  DIRDATA(Word.INCOMPAT, 12, "dirdata"),
  CSUM_SEED(Word.INCOMPAT, 13, "metadata_csum_seed"),
  LARGE_DIR(Word.INCOMPAT, 14, "large_dir"),
  INLINE_DATA(Word.INCOMPAT, 15, "inline_data"),
  ENCRYPT(Word.INCOMPAT, 16, "encrypt"),
  CASEFOLD(Word.INCOMPAT, 17, "casefold"),

  SPARSE_SUPER(Word.RO_COMPAT, 0, "sparse_super"),
  LARGE_FILE(Word.RO_COMPAT, 1, "large_file"),
  HUGE_FILE(Word.RO_COMPAT, 3, "huge_file"),
  GDT_CSUM(Word.RO_COMPAT, 4, "uninit_bg"),
  DIR_NLINK(Word.RO_COMPAT, 5, "dir_nlink"),
  EXTRA_ISIZE(Word.RO_COMPAT, 6, "extra_isize"),
  QUOTA(Word.RO_COMPAT, 8, "quota"),
  BIGALLOC(Word.RO_COMPAT, 9, "bigalloc"),
  METADATA_CSUM(Word.RO_COMPAT, 10, "metadata_csum"),
  READONLY(Word.RO_COMPAT, 12, "read-only"),
  PROJECT(Word.RO_COMPAT, 13, "project"),
  SHARED_BLOCKS(Word.RO_COMPAT, 14, "shared_blocks"),
  VERITY(Word.RO_COMPAT, 15, "verity"),
  ORPHAN_PRESENT(Word.RO_COMPAT, 16, "orphan_present");

  /** Which of the three words: what who does not know a feature may still do. */
  enum Word {
    /** Anything. */
    COMPAT("C"),
    /** Nothing. */
    INCOMPAT("I"),
    /** Read. */
    RO_COMPAT("R");

    private final String letter;

    Word(String letter) {
      this.letter = letter;
    }
  }

  private final Word word;
  private final int bit;
  private final String text;

  Feature(Word word, int bit, String text) {
    this.word = word;
    this.bit = bit;
    this.text = text;
  }

  Word word() {
    return word;
  }

  int mask() {
    return 1 << bit;
  }

  /** The name that mke2fs and dumpe2fs use. */
  public String text() {
    return text;
  }

  /** The name of a bit, also of one that is not known here. */
  static String nameOf(Word word, int bit) {
    for (Feature feature : values()) {
      if (feature.word == word && feature.bit == bit) {
        return feature.text;
      }
    }
    return "FEATURE_" + word.letter + bit;
  }
}
