// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.core.linux.Libc;
import io.rdio.exclusive.prefcache.IoObserver;
import io.rdio.exclusive.prefcache.KernelIoObserver;
import io.rdio.exclusive.prefcache.StorageDevice;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Incl for real: the page cache of the image as it is, but no larger than the storage cache is to
 * be. No control group can bound it, since a loop device's thread belongs to none; so the reads are
 * observed, {@link LruCache} keeps the order, and what it drops is dropped from the page cache by
 * FADV_DONTNEED, with its neighbours as far as they are not to stay either: what was read ahead of
 * it, and what shares a large folio with it, which leaves as a whole or not at all.
 */
final class TrimmedPageCache implements RealStorageCache, IoObserver.Listener {
  private static final int POLL_MILLIS = 10;
  private static final int NEIGHBOURS = 32; // The read-ahead, and so the largest folio.
  private static final int FADV_DONTNEED = 4;

  private final IoObserver observer;
  private final LruCache order;
  private final int blocks;
  private final int image;
  private final Deque<Integer> dropped = new ArrayDeque<>();
  private final Thread trimming = new Thread(this::trim, "two-level-incl");
  private volatile boolean closed;
  private volatile @Nullable IOException failure;

  private TrimmedPageCache(IoObserver observer, int image, int blocks, int capacity) {
    this.observer = observer;
    this.image = image;
    this.blocks = blocks;
    this.order = new LruCache(blocks, capacity, dropped::add);
  }

  /**
   * Starts it.
   *
   * @param capacity in blocks
   */
  static TrimmedPageCache start(StorageDevice device, int capacity) throws IOException {
    IoObserver observer = new KernelIoObserver(List.of(device));
    int image = Libc.LIBC.open(device.backingFile().toString(), Libc.O_RDONLY | Libc.O_CLOEXEC);
    if (image < 0) {
      observer.close();
      throw new IOException(
          "cannot open " + device.backingFile() + ": " + Libc.LIBC.strerror(Libc.errno()));
    }
    int blocks = (int) (device.sizeBytes() / Workload.BLOCK_BYTES);
    TrimmedPageCache cache = new TrimmedPageCache(observer, image, blocks, capacity);
    cache.trimming.start();
    return cache;
  }

  private void trim() {
    try {
      while (!closed) {
        observer.poll(POLL_MILLIS, this);
        letGo();
      }
    } catch (IOException e) {
      failure = e;
    } finally {
      observer.close();
      Libc.LIBC.close(image);
    }
  }

  @Override
  public void read(int device, long offset, long bytes) {
    int first = (int) (offset / Workload.BLOCK_BYTES);
    int end = (int) ((offset + bytes + Workload.BLOCK_BYTES - 1) / Workload.BLOCK_BYTES);
    order.read(first, end - first);
  }

  @Override
  public void written(int device, long offset, long bytes) {
    // Access times and the like: too little to count.
  }

  private void letGo() throws IOException {
    while (!dropped.isEmpty()) {
      int first = dropped.remove();
      int end = first + 1;
      while (!dropped.isEmpty() && dropped.element() == end) {
        dropped.remove();
        end++;
      }
      if (!order.contains(first)) {
        letGo(before(first), behind(end));
      }
    }
  }

  private int before(int first) {
    int stop = Math.max(0, first - NEIGHBOURS);
    int at = first;
    while (at > stop && !order.contains(at - 1)) {
      at--;
    }
    return at;
  }

  private int behind(int end) {
    int stop = Math.min(blocks, end + NEIGHBOURS);
    int at = end;
    while (at < stop && !order.contains(at)) {
      at++;
    }
    return at;
  }

  private void letGo(int first, int end) throws IOException {
    int errno =
        Libc.LIBC.posix_fadvise(
            image,
            (long) first * Workload.BLOCK_BYTES,
            (long) (end - first) * Workload.BLOCK_BYTES,
            FADV_DONTNEED);
    if (errno != 0) {
      throw new IOException("FADV_DONTNEED of the image: " + Libc.LIBC.strerror(errno));
    }
  }

  @Override
  public long extraNetworkBytes() {
    return 0;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    try {
      trimming.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the page cache was trimmed");
    }
    IOException failed = failure;
    if (failed != null) {
      throw new IOException("the page cache was not trimmed: " + failed.getMessage(), failed);
    }
  }
}
