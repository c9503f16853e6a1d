// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static io.rdio.core.linux.Libc.LIBC;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the kernel says of a file, and does to it, by calls that RDIO itself has no use for. */
public final class KernelFile {
  /** Modes of fallocate(2). */
  public static final int KEEP_SIZE = 0x1;

  public static final int PUNCH_HOLE = 0x2;
  public static final int COLLAPSE_RANGE = 0x8;
  public static final int ZERO_RANGE = 0x10;
  public static final int INSERT_RANGE = 0x20;

  private static final long FS_IOC_GETFLAGS = 0x80086601L;
  private static final int LAST = 0x1;

  private KernelFile() {}

  /**
   * A piece of a file as FIEMAP gives it, in bytes.
   *
   * @param flags FIEMAP_EXTENT_* of linux/fiemap.h
   */
  public record Piece(long logical, long physical, long length, int flags) {
    public boolean isUnwritten() {
      return (flags & 0x800) != 0;
    }

    public boolean isInline() {
      return (flags & 0x200) != 0;
    }
  }

  /** All pieces of a file up to an offset, holes left out, after it was written back. */
  public static List<Piece> pieces(Path file, long end) throws IOException {
    List<Piece> pieces = new ArrayList<>();
    ByteBuffer call =
        ByteBuffer.allocateDirect(
                Fiemap.HEADER_BYTES + Fiemap.EXTENTS_PER_CALL * Fiemap.EXTENT_BYTES)
            .order(ByteOrder.nativeOrder());
    try (OpenFile opened = OpenFile.forReading(file)) {
      for (long from = 0; from < end; ) {
        Fiemap.prepare(call, from, end - from, Fiemap.FIEMAP_FLAG_SYNC, Fiemap.EXTENTS_PER_CALL);
        opened.ioctl("FIEMAP", Fiemap.FS_IOC_FIEMAP, call);
        int count = Fiemap.mappedExtents(call);
        for (int i = 0; i < count; i++) {
          pieces.add(piece(call, Fiemap.HEADER_BYTES + i * Fiemap.EXTENT_BYTES));
        }
        if (count == 0 || (pieces.get(pieces.size() - 1).flags() & LAST) != 0) {
          break;
        }
        Piece last = pieces.get(pieces.size() - 1);
        from = last.logical() + last.length();
      }
    }
    return pieces;
  }

  private static Piece piece(ByteBuffer answer, int at) {
    return new Piece(
        answer.getLong(at),
        answer.getLong(at + 8),
        answer.getLong(at + 16),
        answer.getInt(at + 40));
  }

  /** The flags of a file or directory, as lsattr shows them. */
  public static int flags(Path path) throws IOException {
    ByteBuffer flags = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
    try (OpenFile opened = OpenFile.forReading(path)) {
      opened.ioctl("FS_IOC_GETFLAGS", FS_IOC_GETFLAGS, flags);
    }
    return flags.getInt(0);
  }

  /**
   * Has the kernel change what a file has allocated.
   *
   * @return false where it refuses
   */
  public static boolean tryAllocate(Path file, int mode, long offset, long length)
      throws IOException {
    int fd = LIBC.open(file.toString(), Libc.O_RDWR | Libc.O_CLOEXEC);
    if (fd < 0) {
      throw new IOException("open " + file + ": " + LIBC.strerror(Libc.errno()));
    }
    try {
      return LIBC.fallocate(fd, mode, offset, length) >= 0;
    } finally {
      LIBC.close(fd);
    }
  }
}
