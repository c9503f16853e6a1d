// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static io.rdio.core.FallbackReason.EXTENTS_UNMAPPABLE;

import io.rdio.core.FallbackException;
import io.rdio.core.extent.ExtentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * Where a file lies on its device, by the FIEMAP ioctl: the metadata plane's source of truth. Dirty
 * pages are written back first (FIEMAP_FLAG_SYNC), else a fresh file has no place yet and a naive
 * reader would be sent to the superblock. What has no fixed place of its own is refused.
 */
public final class Fiemap {
  // struct fiemap and struct fiemap_extent of linux/fiemap.h.
  static final int HEADER_BYTES = 32;
  static final int EXTENT_BYTES = 56;
  private static final int MAPPED_EXTENTS_AT = 20;
  private static final int EXTENT_COUNT_AT = 24;
  static final long FS_IOC_FIEMAP = 0xC020660BL;
  static final int FIEMAP_FLAG_SYNC = 1;

  private static final long FS_IOC_GETFLAGS = 0x80086601L;
  private static final int FS_JOURNAL_DATA_FL = 0x4000;
  private static final long FS_IOC_FSGETXATTR = 0x801C581FL; // _IOR('X', 31, struct fsxattr)
  private static final int FSXATTR_BYTES = 28;
  private static final int FS_XFLAG_REALTIME = 1;

  static final int EXTENTS_PER_CALL = 256;

  private Fiemap() {}

  /**
   * The extents of the first bytes of a file. The file must not be written meanwhile.
   *
   * @param length bytes to map, from offset 0
   * @return extents covering exactly {@code [0, length)}, or at most up to the end of the 4 KiB in
   *     which the file's last byte lies; physically adjacent ones merged
   * @throws FallbackException EXTENTS_UNMAPPABLE naming flag, file and offset
   * @throws IOException if the file is missing or the file system does not know FIEMAP
   */
  public static ExtentList extents(Path file, long length) throws IOException, FallbackException {
    return map(file, length, 0);
  }

  /**
   * As {@link #extents}, also of space that was taken and not written to yet. To write there past
   * the page cache changes no place.
   */
  public static ExtentList allocated(Path file, long length) throws IOException, FallbackException {
    return map(file, length, FiemapParser.UNWRITTEN);
  }

  private static ExtentList map(Path file, long length, int allowed)
      throws IOException, FallbackException {
    if (length == 0) {
      return ExtentList.EMPTY;
    }
    ByteBuffer call =
        ByteBuffer.allocateDirect(HEADER_BYTES + EXTENTS_PER_CALL * EXTENT_BYTES)
            .order(ByteOrder.nativeOrder());
    FiemapParser parser = new FiemapParser(file.toString(), length, allowed);
    try (OpenFile opened = OpenFile.forReading(file)) {
      refuseJournaledData(opened, file);
      refuseRealtime(opened, file);
      while (!parser.isComplete()) {
        prepare(
            call,
            parser.mappedBytes(),
            length - parser.mappedBytes(),
            FIEMAP_FLAG_SYNC,
            EXTENTS_PER_CALL);
        opened.ioctl("FIEMAP", FS_IOC_FIEMAP, call);
        parser.accept(call);
      }
    }
    return parser.extents();
  }

  /** Writes a question into a buffer that is to hold the answer. */
  static void prepare(ByteBuffer call, long start, long length, int flags, int maxExtents) {
    call.clear();
    call.putLong(0, start).putLong(8, length).putInt(16, flags);
    call.putInt(MAPPED_EXTENTS_AT, 0).putInt(EXTENT_COUNT_AT, maxExtents).putInt(28, 0);
  }

  /** Number of extents that the kernel put behind the header, as it says. */
  static int mappedExtents(ByteBuffer answer) {
    return answer.getInt(MAPPED_EXTENTS_AT);
  }

  /** ext4 with chattr +j: the newest bytes may lie in the journal only. */
  private static void refuseJournaledData(OpenFile opened, Path file) throws FallbackException {
    ByteBuffer flags = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
    boolean known = opened.tryIoctl(FS_IOC_GETFLAGS, flags);
    if (known && (flags.getInt(0) & FS_JOURNAL_DATA_FL) != 0) {
      throw new FallbackException(
          EXTENTS_UNMAPPABLE, file + " has its data journaled (chattr -j turns it off)");
    }
  }

  /**
   * A file of xfs's realtime section: FIEMAP answers with offsets in that section, and says nothing
   * of it. A volume that has such a section, or does not say, is refused as a whole when it is
   * identified; the file is asked besides, as each map is made, and whoever asks for it.
   */
  private static void refuseRealtime(OpenFile opened, Path file) throws FallbackException {
    ByteBuffer attributes = ByteBuffer.allocateDirect(FSXATTR_BYTES).order(ByteOrder.nativeOrder());
    boolean known = opened.tryIoctl(FS_IOC_FSGETXATTR, attributes);
    if (known && (attributes.getInt(0) & FS_XFLAG_REALTIME) != 0) {
      throw new FallbackException(
          EXTENTS_UNMAPPABLE, file + " lies in the realtime section of its file system");
    }
  }
}
