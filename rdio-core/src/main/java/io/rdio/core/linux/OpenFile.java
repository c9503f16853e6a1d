// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static io.rdio.core.linux.Libc.LIBC;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import jnr.ffi.Pointer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file or directory open for the calls that java.nio does not have. */
final class OpenFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OpenFile.class);
  private static final int FALLOC_FL_WRITE_ZEROES = 0x80;
  private static final int POSIX_FADV_DONTNEED = 4;
  private static final int PROT_READ = 1;
  private static final int MAP_SHARED = 1;
  private static final int PAGE = 4096; // at least, so that the vector is large enough

  /** The lowest bit of each byte. */
  private static final long LOWEST_BITS = 0x0101_0101_0101_0101L;

  // struct cachestat_range and struct cachestat of linux/mman.h.
  private static final int RANGE_BYTES = 16;
  private static final int CACHESTAT_BYTES = 40;

  /** It cannot be said in this way. */
  static final int UNKNOWN = -1;

  private static final AtomicBoolean HAS_CACHESTAT = new AtomicBoolean(true);

  /** Whether it was logged that cachestat failed. */
  private static final AtomicBoolean TOLD = new AtomicBoolean();

  private final Path path;
  private final int fd;

  private OpenFile(Path path, int fd) {
    this.path = path;
    this.fd = fd;
  }

  static OpenFile forReading(Path path) throws IOException {
    return open(path, Libc.O_RDONLY);
  }

  static OpenFile forWriting(Path path) throws IOException {
    return open(path, Libc.O_RDWR);
  }

  private static OpenFile open(Path path, int flags) throws IOException {
    int fd = LIBC.open(path.toString(), flags | Libc.O_CLOEXEC);
    if (fd < 0) {
      throw failure("open", path, Libc.errno());
    }
    return new OpenFile(path, fd);
  }

  /** The ioctl, or an exception that bears its name. */
  void ioctl(String name, long request, ByteBuffer argument) throws IOException {
    if (!tryIoctl(request, argument)) {
      throw failure(name, path, Libc.errno());
    }
  }

  /** False where the file system does not know the ioctl, or fails it. */
  boolean tryIoctl(long request, ByteBuffer argument) {
    return LIBC.ioctl(fd, request, argument) >= 0;
  }

  void allocate(long offset, long length) throws IOException {
    if (LIBC.fallocate(fd, 0, offset, length) < 0) {
      throw failure("fallocate", path, Libc.errno());
    }
  }

  /**
   * Makes written extents that read as zeros (FALLOC_FL_WRITE_ZEROES), and extends the file.
   *
   * @return false where kernel, file system or device cannot do it, whenever they are asked
   */
  boolean tryWriteZeroes(long length) throws IOException {
    if (LIBC.fallocate(fd, FALLOC_FL_WRITE_ZEROES, 0, length) >= 0) {
      return true;
    }
    int errno = Libc.errno();
    if (isNeverDone(errno)) {
      return false;
    }
    throw failure("fallocate of zeros", path, errno);
  }

  /**
   * Whether a mode of fallocate can never be had here. By fallocate(2) that is EOPNOTSUPP, of the
   * kernel, the file system, or a device without Write Zeroes; ENOSYS where there is no such call.
   * EINVAL is of the arguments, which would be no others the next time.
   */
  static boolean isNeverDone(int errno) {
    return errno == Libc.EOPNOTSUPP || errno == Libc.ENOSYS || errno == Libc.EINVAL;
  }

  /** Has the kernel let go of the file's clean pages that nobody uses just then. */
  void dropPages() throws IOException {
    int errno = LIBC.posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    if (errno != 0) {
      throw failure("posix_fadvise", path, errno);
    }
  }

  /**
   * Whether nobody else has the file open or mapped: then the kernel gives a write lease on it
   * (fcntl(2), F_SETLEASE), which goes with {@link #close}. Who opens the file before that waits so
   * long, or fails (EWOULDBLOCK) if he will not wait, and the kernel tells this process by a
   * signal: by one that is ignored, for SIGIO, which it would be, ends a process.
   *
   * @throws IOException where the kernel gives none: fs.leases-enable is 0, or another user has the
   *     file
   */
  boolean isAlone() throws IOException {
    if (LIBC.fcntl(fd, Libc.F_SETSIG, Libc.SIGURG) < 0) {
      throw failure("F_SETSIG", path, Libc.errno());
    }
    if (LIBC.fcntl(fd, Libc.F_SETLEASE, Libc.F_WRLCK) >= 0) {
      return true;
    }
    int errno = Libc.errno();
    if (errno == Libc.EWOULDBLOCK) {
      return false;
    }
    throw failure("F_SETLEASE", path, errno);
  }

  /**
   * How many pages of the first bytes of the file are in memory.
   *
   * @param length at least 1
   */
  int cachedPages(long length) throws IOException {
    int counted = HAS_CACHESTAT.get() ? countedPages(length) : UNKNOWN;
    return counted == UNKNOWN ? residentPages(length) : counted;
  }

  /**
   * By cachestat(2), which goes over the pages that there are: of a file without any it costs the
   * same whatever its length.
   *
   * @return {@link #UNKNOWN} where the kernel has no such call (before 6.5), or refuses it; for the
   *     first time that is logged
   */
  int countedPages(long length) {
    ByteBuffer range = ByteBuffer.allocateDirect(RANGE_BYTES).order(ByteOrder.nativeOrder());
    range.putLong(0, 0).putLong(Long.BYTES, length);
    ByteBuffer answer = ByteBuffer.allocateDirect(CACHESTAT_BYTES).order(ByteOrder.nativeOrder());
    if (LIBC.syscall(Libc.CACHESTAT, fd, range, answer, 0) < 0) {
      notCounted(Libc.errno());
      return UNKNOWN;
    }
    return (int) Math.min(Integer.MAX_VALUE, answer.getLong(0));
  }

  private void notCounted(int errno) {
    if (isMissing(errno)) {
      HAS_CACHESTAT.set(false);
    }
    if (TOLD.compareAndSet(false, true)) {
      LOG.info(
          "cachestat fails for {} ({}): its pages are counted by mincore, which takes longer",
          path,
          LIBC.strerror(errno));
    }
  }

  /**
   * Whether there is no such system call, whatever it is asked. What else fails may be of the one
   * file: of another user's the kernel says EPERM.
   */
  static boolean isMissing(int errno) {
    return errno == Libc.ENOSYS;
  }

  /** By mincore(2), which asks for each page. */
  int residentPages(long length) throws IOException {
    Pointer address = LIBC.mmap(null, length, PROT_READ, MAP_SHARED, fd, 0);
    if (address.address() == -1) {
      throw failure("mmap", path, Libc.errno());
    }
    try {
      int words = (int) ((length + PAGE - 1) / PAGE + Long.BYTES - 1) / Long.BYTES;
      ByteBuffer vector = ByteBuffer.allocateDirect(words * Long.BYTES);
      if (LIBC.mincore(address, length, vector) < 0) {
        throw failure("mincore", path, Libc.errno());
      }
      int cached = 0;
      for (int i = 0; i < words; i++) {
        cached += Long.bitCount(vector.getLong(i * Long.BYTES) & LOWEST_BITS);
      }
      return cached;
    } finally {
      LIBC.munmap(address, length);
    }
  }

  /** The exception that java.nio.file has for an errno. */
  private static FileSystemException failure(String call, Path path, int errno) {
    String text = call + ": " + LIBC.strerror(errno);
    return switch (errno) {
      case Libc.ENOENT -> new NoSuchFileException(path.toString(), null, text);
      case Libc.EACCES -> new AccessDeniedException(path.toString(), null, text);
      default -> new FileSystemException(path.toString(), null, text);
    };
  }

  @Override
  public void close() {
    // fsync was what could report a failed write; a failed close has nothing to add.
    LIBC.close(fd);
  }
}
