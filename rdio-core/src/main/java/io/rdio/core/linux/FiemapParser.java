// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static io.rdio.core.FallbackReason.EXTENTS_UNMAPPABLE;

import io.rdio.core.FallbackException;
import io.rdio.core.extent.ExtentList;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Gathers one file's extents from one or more FIEMAP answers, and believes none of them: extents
 * must follow one another without a hole, and each must be plain data, and written where the asker
 * does not say that it need not be. Not thread-safe.
 */
final class FiemapParser {
  private static final int LAST = 0x1;
  private static final int MERGED = 0x1000;

  /** Space that was taken and not written to. */
  static final int UNWRITTEN = 0x800;

  // Those that a reader of the device cannot serve, each with its name in linux/fiemap.h.
  private static final int[] REFUSED = {
    0x4, 0x2, 0x8, 0x80, 0x200, 0x400, 0x100, UNWRITTEN, 0x2000,
  };
  private static final String[] REFUSED_NAMES = {
    "DELALLOC",
    "UNKNOWN",
    "ENCODED",
    "DATA_ENCRYPTED",
    "DATA_INLINE",
    "DATA_TAIL",
    "NOT_ALIGNED",
    "UNWRITTEN",
    "SHARED",
  };

  /** A file's last extent is cut here, so that no more than its own slack is granted. */
  private static final long SLACK_BYTES = 4096;

  private final String file;
  private final long length;
  private final long limit;
  private final int allowed;
  private long mapped;
  private int count;
  private long[] physical = new long[4];
  private long[] lengths = new long[4];

  /**
   * @param file for messages
   * @param length bytes to be mapped, at least 1
   */
  FiemapParser(String file, long length) {
    this(file, length, 0);
  }

  /**
   * The same, and some extents that a reader cannot serve are taken as others.
   *
   * @param allowed {@link #UNWRITTEN}, or 0
   */
  FiemapParser(String file, long length, int allowed) {
    this.file = file;
    this.length = length;
    this.allowed = allowed;
    this.limit =
        length > Long.MAX_VALUE - SLACK_BYTES
            ? length
            : (length + SLACK_BYTES - 1) / SLACK_BYTES * SLACK_BYTES;
  }

  /** True once {@code [0, length)} is mapped. */
  boolean isComplete() {
    return mapped >= length;
  }

  /** File offset at which the next answer has to start. */
  long mappedBytes() {
    return mapped;
  }

  ExtentList extents() {
    return ExtentList.of(Arrays.copyOf(physical, count), Arrays.copyOf(lengths, count));
  }

  /**
   * Takes one answer; afterwards more is mapped than before.
   *
   * @param answer a struct fiemap in native order, from index 0
   * @throws FallbackException EXTENTS_UNMAPPABLE; this parser is then of no more use
   */
  void accept(ByteBuffer answer) throws FallbackException {
    int extents = Fiemap.mappedExtents(answer);
    int room = (answer.capacity() - Fiemap.HEADER_BYTES) / Fiemap.EXTENT_BYTES;
    if (extents < 0 || extents > room) {
      throw refusal("answer claims " + extents + " extents in a buffer for " + room);
    }
    if (extents == 0) {
      throw refusal("hole (no extent)");
    }
    boolean last = false;
    for (int i = 0; i < extents && !isComplete(); i++) {
      int at = Fiemap.HEADER_BYTES + i * Fiemap.EXTENT_BYTES;
      int flags = answer.getInt(at + 40);
      add(answer.getLong(at), answer.getLong(at + 8), answer.getLong(at + 16), flags);
      last = (flags & LAST) != 0;
    }
    if (last && !isComplete()) {
      throw refusal("hole (the last extent ends here)");
    }
  }

  private void add(long logical, long start, long bytes, int flags) throws FallbackException {
    if (logical > mapped) {
      throw refusal("hole up to offset " + logical);
    }
    checkFlags(flags);
    if (logical < 0 || bytes <= 0 || logical > Long.MAX_VALUE - bytes || start < 0) {
      throw refusal("damaged extent " + logical + "+" + bytes + "@" + start);
    }
    // An extent that a page boundary of the answers cut comes again from its own beginning.
    long skip = mapped - logical;
    long end = Math.min(logical + bytes, limit);
    if (end <= mapped || start > Long.MAX_VALUE - bytes) {
      throw refusal("damaged extent " + logical + "+" + bytes + "@" + start);
    }
    append(start + skip, end - mapped);
    mapped = end;
  }

  private void append(long start, long bytes) {
    if (count > 0 && physical[count - 1] + lengths[count - 1] == start) {
      lengths[count - 1] += bytes;
      return;
    }
    if (count == physical.length) {
      physical = Arrays.copyOf(physical, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    physical[count] = start;
    lengths[count] = bytes;
    count++;
  }

  private void checkFlags(int all) throws FallbackException {
    int flags = all & ~allowed;
    for (int i = 0; i < REFUSED.length; i++) {
      if ((flags & REFUSED[i]) != 0) {
        throw refusal(REFUSED_NAMES[i] + " extent");
      }
    }
    if ((flags & ~(LAST | MERGED)) != 0) {
      throw refusal("extent with unknown flags 0x" + Integer.toHexString(flags));
    }
  }

  private FallbackException refusal(String what) {
    return new FallbackException(
        EXTENTS_UNMAPPABLE, what + " at offset " + mapped + " of " + length + " in " + file);
  }
}
