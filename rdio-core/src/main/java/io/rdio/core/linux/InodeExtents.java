// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static io.rdio.core.linux.Libc.LIBC;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the files of one mounted file system lie, each known by its inode's number and generation
 * only: open_by_handle_at and FIEMAP. Needs CAP_DAC_READ_SEARCH. Keeps nothing open, so that the
 * file system can be unmounted. Not thread-safe.
 */
public final class InodeExtents {
  // struct file_handle of fcntl.h: length and type of what follows, which is the file system's own.
  private static final int HANDLE_HEADER_BYTES = 8;
  private static final int EXT4_HANDLE_TYPE = 0x01;
  private static final int XFS_HANDLE_TYPE = 0x81;

  private final MountedFileSystem mount;
  private final int major;
  private final int minor;
  private final ByteBuffer handle =
      ByteBuffer.allocateDirect(HANDLE_HEADER_BYTES + 12).order(ByteOrder.nativeOrder());
  private final ByteBuffer call =
      ByteBuffer.allocateDirect(Fiemap.HEADER_BYTES + Fiemap.EXTENTS_PER_CALL * Fiemap.EXTENT_BYTES)
          .order(ByteOrder.nativeOrder());

  /**
   * @param major and minor of the device that the file system is on
   */
  public InodeExtents(MountedFileSystem mount, int major, int minor) {
    this.mount = mount;
    this.major = major;
    this.minor = minor;
  }

  /**
   * Where {@code [start, end)} of a file lies.
   *
   * @param generation of the inode
   * @param sync whether dirty pages of the file are written back first
   * @return empty if there is no such file any more, or its file system is not mounted there; also
   *     while somebody has a lease on the file (fcntl(2), F_SETLEASE), as who asks whether it is
   *     open has for a moment
   */
  public Optional<ExtentWindow> window(
      long inode, int generation, long start, long end, boolean sync) throws IOException {
    int mountFd = LIBC.open(mount.point().toString(), Libc.O_RDONLY | Libc.O_CLOEXEC);
    if (mountFd < 0) {
      return missing("open", Libc.errno());
    }
    try {
      // Another file system may be mounted there by now, in which this inode is another file.
      return MountedFileSystem.isOn(Path.of("/proc/self/fd/" + mountFd), major, minor)
          ? window(mountFd, inode, generation, new ExtentWindowParser(start, end), sync)
          : Optional.empty();
    } finally {
      LIBC.close(mountFd);
    }
  }

  private Optional<ExtentWindow> window(
      int mountFd, long inode, int generation, ExtentWindowParser parser, boolean sync)
      throws IOException {
    int fd = LIBC.open_by_handle_at(mountFd, handle(inode, generation), openFlags());
    if (fd < 0) {
      return missing("open_by_handle_at of inode " + inode, Libc.errno());
    }
    try {
      while (!parser.isComplete()) {
        Fiemap.prepare(
            call,
            parser.next(),
            parser.end() - parser.next(),
            sync ? Fiemap.FIEMAP_FLAG_SYNC : 0,
            Fiemap.EXTENTS_PER_CALL);
        if (LIBC.ioctl(fd, Fiemap.FS_IOC_FIEMAP, call) < 0) {
          throw failure("FIEMAP of inode " + inode, Libc.errno());
        }
        parser.accept(call);
      }
      return Optional.of(parser.window());
    } finally {
      LIBC.close(fd);
    }
  }

  private Optional<ExtentWindow> missing(String call, int errno) throws IOException {
    if (errno == Libc.ESTALE || errno == Libc.ENOENT || errno == Libc.EWOULDBLOCK) {
      return Optional.empty();
    }
    throw failure(call, errno);
  }

  private static int openFlags() {
    return Libc.O_RDONLY | Libc.O_NONBLOCK | Libc.O_CLOEXEC;
  }

  private ByteBuffer handle(long inode, int generation) {
    if (mount.fsType().equals("xfs")) {
      handle.putInt(0, 12).putInt(4, XFS_HANDLE_TYPE);
      handle.putLong(HANDLE_HEADER_BYTES, inode).putInt(HANDLE_HEADER_BYTES + 8, generation);
    } else {
      handle.putInt(0, 8).putInt(4, EXT4_HANDLE_TYPE);
      handle.putInt(HANDLE_HEADER_BYTES, (int) inode).putInt(HANDLE_HEADER_BYTES + 4, generation);
    }
    return handle;
  }

  private IOException failure(String call, int errno) {
    return new FileSystemException(
        mount.point().toString(),
        null,
        call
            + ": "
            + LIBC.strerror(errno)
            + (errno == Libc.EPERM ? " (it needs CAP_DAC_READ_SEARCH)" : ""));
  }
}
