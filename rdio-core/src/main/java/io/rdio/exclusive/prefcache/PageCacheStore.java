// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import io.rdio.core.linux.Libc;
import io.rdio.exclusive.prefcache.ReleaseQueue.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The storage node's page cache, of the files behind loop devices that a kernel target exports:
 * target and kernel are as they are, and a block that is prefetched here is one that the next read
 * finds in memory.
 *
 * <p><b>Prefetch</b> is FADV_WILLNEED, in pieces that the kernel does not cut short. The last of
 * the bytes are still under way when it returns; a read that comes sooner waits for them and causes
 * no other. At most {@value #PIECES_MAX} pieces are under way, for a compute node's miss is behind
 * all of them in the disk's queue; before the next one, the end of the oldest is read, which waits
 * for it.
 *
 * <p><b>Exclusive</b>: every read through the loop device leaves its pages here, hit or miss, and
 * so does what the kernel read ahead of it. Both are let go of by FADV_DONTNEED, neighbours of one
 * round together: what was read in the next round, what may have been read ahead one round later,
 * when its reader has come or has not. That is reckoned as {@value #AHEAD_FACTOR} times what was
 * read in one piece, at most two of the kernel's windows; the rest of a window that a slow reader
 * left behind stays until the kernel reclaims it. A written page cannot be dropped before it is on
 * the disk: DONTNEED begins to write it, and a second one two rounds later drops it.
 *
 * <p>Coherent by itself: there is one page cache, whoever reads or writes. A file is opened here
 * for advice only. Thread-safe.
 */
final class PageCacheStore implements SegmentStore {
  /** The kernel cuts one of more than 1 MiB short (max of read_ahead_kb and max_sectors_kb). */
  static final int PIECE_BYTES = 256 << 10;

  static final int PIECES_MAX = 4;

  /** The kernel's first window is four times the read that it takes for a sequential one. */
  private static final int AHEAD_FACTOR = 8;

  /** The largest that there is with pages of 4 KiB. */
  private static final int FOLIO_BYTES = 2 << 20;

  private static final int RANGES_MAX = 1 << 16;
  private static final int LATER = 2;

  private final int blockBytes;
  private final PageCacheCalls calls;
  private final Map<Integer, Backing> backings = new HashMap<>();
  private final ArrayDeque<Piece> underWay = new ArrayDeque<>();
  private final ByteBuffer aByte = ByteBuffer.allocateDirect(1);
  private final ReleaseQueue reads = new ReleaseQueue(RANGES_MAX);
  private final ReleaseQueue releases = new ReleaseQueue(RANGES_MAX);

  /**
   * An open file, and where the device begins in it.
   *
   * @param aheadBlocks of two windows of read-ahead
   */
  private record Backing(String path, int fd, long offset, long blocks, long aheadBlocks) {}

  /** A piece that was asked for, by its last byte. */
  private record Piece(Backing of, long last) {}

  /**
   * @param blockBytes a multiple of the page size, for the page cache knows nothing smaller
   * @throws IOException if a file cannot be opened
   */
  PageCacheStore(int blockBytes, List<StorageDevice> devices) throws IOException {
    this(blockBytes, devices, PageCacheCalls.LIBC);
  }

  /**
   * @param calls a seam, for tests to see the order of what the kernel is told
   */
  PageCacheStore(int blockBytes, List<StorageDevice> devices, PageCacheCalls calls)
      throws IOException {
    this.blockBytes = blockBytes;
    this.calls = calls;
    try {
      for (StorageDevice device : devices) {
        backings.put(device.number(), open(device));
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private Backing open(StorageDevice device) throws IOException {
    String path = device.backingFile().toString();
    int fd = Libc.LIBC.open(path, Libc.O_RDONLY | Libc.O_CLOEXEC);
    if (fd < 0) {
      throw new IOException(
          "cannot open "
              + path
              + ", behind "
              + device.node()
              + ": "
              + Libc.LIBC.strerror(Libc.errno()));
    }
    return new Backing(
        path,
        fd,
        device.backingOffset(),
        device.sizeBytes() / blockBytes,
        2 * device.readAheadBytes() / blockBytes);
  }

  @Override
  public void fetch(int device, long firstBlock, int blocks) throws IOException {
    long end = firstBlock + blocks;
    int most = PIECE_BYTES / blockBytes;
    for (long at = firstBlock; at < end; at += most) {
      long pieceEnd = Math.min(end, at + most);
      if (underWay.size() == PIECES_MAX) {
        await(underWay.remove());
      }
      advise(device, at, pieceEnd, PIECE_BYTES, PageCacheCalls.FADV_WILLNEED);
      Backing backing = backing(device);
      underWay.add(new Piece(backing, backing.offset() + pieceEnd * blockBytes - 1));
    }
  }

  private void await(Piece piece) throws IOException {
    Backing backing = piece.of();
    if (calls.pread(backing.fd(), aByte, 1, piece.last()) < 0) {
      throw new IOException(
          "cannot read "
              + backing.path()
              + " at "
              + piece.last()
              + ": "
              + Libc.LIBC.strerror(Libc.errno()));
    }
  }

  @Override
  public void admit(int device, long firstBlock, int blocks) {
    // They are where the target looks for them.
  }

  @Override
  public synchronized void release(int device, long firstBlock, int blocks) {
    releases.add(device, firstBlock, firstBlock + blocks, 0);
  }

  @Override
  public synchronized void releaseWritten(int device, long firstBlock, int blocks) {
    releases.add(device, firstBlock, firstBlock + blocks, 0);
    releases.add(device, firstBlock, firstBlock + blocks, LATER);
  }

  @Override
  public synchronized void releaseRead(int device, long firstBlock, int blocks) {
    reads.add(device, firstBlock, firstBlock + blocks, 0);
  }

  @Override
  public void settle(Unwanted unwanted) throws IOException, InterruptedException {
    for (Range range : nextRound()) {
      release(range, unwanted);
    }
  }

  /** What is to be let go of now; what was read ahead of it will be in the next round. */
  private synchronized List<Range> nextRound() {
    List<Range> round = new ArrayList<>(releases.nextRound());
    for (Range read : reads.nextRound()) {
      round.add(read);
      Backing backing = backings.get(read.device());
      if (backing != null) {
        long ahead = Math.min(backing.aheadBlocks(), AHEAD_FACTOR * (read.end() - read.first()));
        long end = Math.min(backing.blocks(), read.end() + ahead);
        if (end > read.end()) {
          releases.add(read.device(), read.end(), end, 0);
        }
      }
    }
    return round;
  }

  /** As much as that holds one lock of {@link RangeLocks} for; a multiple of any folio. */
  private static final int RELEASE_BYTES = 32 << 20;

  /**
   * A page that is part of a larger folio goes with all of that or not at all: so from as far
   * before the range as its first folio may reach. What a folio has behind the range is let go of
   * when the range behind it is.
   */
  private void release(Range range, Unwanted unwanted) throws IOException, InterruptedException {
    long before = Math.min(AHEAD_FACTOR * (range.end() - range.first()), FOLIO_BYTES / blockBytes);
    int piece = RELEASE_BYTES / blockBytes;
    for (long at = Math.max(0, range.first() - before); at < range.end(); ) {
      long end = Math.min(range.end(), (at / piece + 1) * piece);
      unwanted.forEach(
          range.device(),
          at,
          (int) (end - at),
          (first, count) ->
              advise(
                  range.device(),
                  first,
                  first + count,
                  RELEASE_BYTES,
                  PageCacheCalls.FADV_DONTNEED));
      at = end;
    }
  }

  private Backing backing(int device) throws IOException {
    Backing backing = backings.get(device);
    if (backing == null) {
      throw new IOException("device " + device + " is not open");
    }
    return backing;
  }

  private void advise(int device, long first, long end, int pieceBytes, int advice)
      throws IOException {
    Backing backing = backing(device);
    for (long at = first * blockBytes; at < end * blockBytes; at += pieceBytes) {
      long length = Math.min(pieceBytes, end * blockBytes - at);
      int errno = calls.posix_fadvise(backing.fd(), backing.offset() + at, length, advice);
      if (errno != 0) {
        throw new IOException(
            "fadvise of "
                + length
                + " bytes at "
                + (backing.offset() + at)
                + " of "
                + backing.path()
                + ": "
                + Libc.LIBC.strerror(errno));
      }
    }
  }

  /** Of the files as a whole, by cachestat(2); empty before Linux 6.5. */
  @Override
  public OptionalLong residentBytes() {
    long pages = 0;
    ByteBuffer range = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
    ByteBuffer stat = ByteBuffer.allocateDirect(40).order(ByteOrder.nativeOrder());
    for (Backing backing : backings.values()) {
      // Length 0: to the end of the file.
      range.putLong(0, backing.offset()).putLong(8, backing.blocks() * blockBytes);
      long result = Libc.LIBC.syscall(Libc.CACHESTAT, backing.fd(), range, stat, 0);
      if (result != 0) {
        return OptionalLong.empty();
      }
      pages += stat.getLong(0);
    }
    return OptionalLong.of(pages * PAGE_BYTES);
  }

  /** As cachestat counts; the smallest that Linux has, and the one on all but a few machines. */
  private static final int PAGE_BYTES = 4096;

  /** Leaves the page cache as it is. */
  @Override
  public void close() {
    for (Backing backing : new ArrayList<>(backings.values())) {
      Libc.LIBC.close(backing.fd());
    }
    backings.clear();
  }
}
