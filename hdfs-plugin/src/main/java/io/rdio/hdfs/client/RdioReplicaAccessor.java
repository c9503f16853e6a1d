// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.client.filemap.BlockRequest;
import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.plane.FileMap;
import io.rdio.client.read.BlockReader;
import io.rdio.client.read.ExtentReader;
import io.rdio.client.read.ReadContext;
import io.rdio.client.route.Routers;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.stock.DataNodeReaderOpener;
import io.rdio.hdfs.client.stock.StockBlockSource;
import io.rdio.hdfs.client.stock.StockReplicaReader;
import io.rdio.hdfs.client.stock.StockVerdict;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Objects;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Hadoop's view of a block that is read from the device. Safe for any number of threads; a close
 * may come at any time and repeatedly.
 *
 * <p>If the device cannot serve a read, stock HDFS serves it and all later ones, inside this
 * accessor: an IOException would make DFSInputStream write off a healthy DataNode, which a
 * positional read of a block with one replica, or a read of an erasure-coded block, does not get
 * over. From then on the accessor also reports itself as what it is, a remote reader.
 */
public final class RdioReplicaAccessor extends ReplicaAccessor {
  private final ReadContext context;
  private final BlockRequest request;
  private final boolean verifyChecksum;
  private final long length;
  private final StockBlockSource stockSource;
  private final StockReplicaReader.Opener stockOpener;
  private final @Nullable FirstBytes first;
  private final @Nullable BlockRoute route;
  private volatile @Nullable BlockReader device;
  private volatile @Nullable StockReplicaReader stock;
  private volatile boolean closed;

  private RdioReplicaAccessor(
      ReadContext context,
      BlockRequest request,
      boolean verifyChecksum,
      long length,
      StockBlockSource stockSource,
      StockReplicaReader.Opener stockOpener,
      @Nullable FirstBytes first,
      @Nullable Routers routers) {
    this.context = context;
    this.request = request;
    this.verifyChecksum = verifyChecksum;
    this.length = length;
    this.stockSource = stockSource;
    this.stockOpener = stockOpener;
    this.first = first;
    this.route =
        routers == null
            ? null
            : new BlockRoute(
                routers, stockSource, stockOpener, request, context.counters(), length);
  }

  /**
   * An accessor of one block. With a warm file map it costs a few map lookups.
   *
   * @param visibleLength where the caller stops reading, in bytes from the block's start: the end
   *     of the block or, for a positional read, of its range
   * @param stockSource asked only for detours, and when a read from the device fails
   * @throws FallbackException why stock HDFS must serve this block; not counted yet
   */
  static RdioReplicaAccessor open(
      ReadContext context,
      BlockRequest request,
      boolean verifyChecksum,
      long visibleLength,
      Detours detours,
      StockBlockSource stockSource)
      throws FallbackException {
    return open(
        context,
        request,
        verifyChecksum,
        visibleLength,
        detours,
        stockSource,
        new DataNodeReaderOpener(stockSource, request.fileName(), verifyChecksum));
  }

  static RdioReplicaAccessor open(
      ReadContext context,
      BlockRequest request,
      boolean verifyChecksum,
      long visibleLength,
      Detours detours,
      StockBlockSource stockSource,
      StockReplicaReader.Opener stockOpener)
      throws FallbackException {
    RdioReplicaAccessor accessor =
        new RdioReplicaAccessor(
            context,
            request,
            verifyChecksum,
            visibleLength,
            stockSource,
            stockOpener,
            firstBytes(context, request, visibleLength, detours, stockSource, stockOpener),
            detours.routers());
    if (accessor.first == null) {
      accessor.openDevice();
    }
    return accessor;
  }

  private static @Nullable FirstBytes firstBytes(
      ReadContext context,
      BlockRequest request,
      long visibleLength,
      Detours detours,
      StockBlockSource stockSource,
      StockReplicaReader.Opener stockOpener)
      throws FallbackException {
    FileMapSource.Load load = detours.begin(context.maps(), request, visibleLength);
    if (load.isDone()) {
      return null;
    }
    return new FirstBytes(
        context.maps(),
        load,
        stockSource,
        stockOpener,
        request,
        context.counters(),
        detours.firstBytes(),
        visibleLength);
  }

  private BlockReader device() throws FallbackException {
    BlockReader open = device;
    return open != null ? open : openDevice();
  }

  private synchronized BlockReader openDevice() throws FallbackException {
    BlockReader open = device;
    if (open == null) {
      open = ExtentReader.open(context, request, verifyChecksum, length);
      device = open;
      if (closed) {
        open.close(); // close() may have come before there was a reader to close
      }
      closeFirst();
    }
    return open;
  }

  /** Reads what stock HDFS may serve; 0 when the device is to serve. */
  private int readFirst(long pos, ByteBuffer target) {
    int count = Objects.requireNonNull(first).read(pos, target);
    if (closed) {
      closeFirst();
    }
    return count;
  }

  private void readRouted(BlockRoute by, BlockReader from, long pos, ByteBuffer target)
      throws FallbackException {
    by.read(from, pos, target);
    if (closed) {
      by.close();
    }
  }

  private void closeFirst() {
    if (first != null) {
      first.close();
    }
  }

  @Override
  public int read(long pos, byte[] buf, int off, int len) throws IOException {
    Objects.checkFromIndexSize(off, len, buf.length);
    int count = readable(pos, len);
    if (count <= 0) {
      return count;
    }
    requireOpen();
    if (stock == null) {
      try {
        if (device == null) {
          int served = readFirst(pos, ByteBuffer.wrap(buf, off, count));
          if (served > 0) {
            return served;
          }
        }
        BlockReader from = device();
        if (route == null) {
          from.read(pos, buf, off, count);
        } else {
          readRouted(route, from, pos, ByteBuffer.wrap(buf, off, count));
        }
        askAboutSuspect(from, pos, count);
        return count;
      } catch (FallbackException | RuntimeException | LinkageError e) {
        fallBack(e);
      }
    }
    readStock(pos, ByteBuffer.wrap(buf, off, count));
    return count;
  }

  @Override
  public int read(long pos, ByteBuffer buf) throws IOException {
    if (buf.isReadOnly()) {
      throw new ReadOnlyBufferException();
    }
    int count = readable(pos, buf.remaining());
    if (count <= 0) {
      return count;
    }
    requireOpen();
    int at = buf.position();
    if (stock == null) {
      try {
        if (device == null) {
          int served = readFirst(pos, buf.duplicate().limit(at + count));
          if (served > 0) {
            buf.position(at + served);
            return served;
          }
        }
        BlockReader from = device();
        if (route == null) {
          from.read(pos, buf, at, count);
        } else {
          readRouted(route, from, pos, buf.duplicate().limit(at + count));
        }
        askAboutSuspect(from, pos, count);
        buf.position(at + count);
        return count;
      } catch (FallbackException | RuntimeException | LinkageError e) {
        fallBack(e);
      }
    }
    readStock(pos, buf.duplicate().limit(at + count));
    buf.position(at + count);
    return count;
  }

  @Override
  public void close() {
    closed = true;
    closeDevice();
    closeFirst();
    if (route != null) {
      route.close();
    }
    StockReplicaReader reader = stock;
    if (reader != null) {
      reader.close();
    }
  }

  /** True while no DataNode carries the bytes; Hadoop counts short-circuit bytes as local too. */
  @Override
  public boolean isLocal() {
    return isByDevice();
  }

  @Override
  public boolean isShortCircuit() {
    return isByDevice();
  }

  private boolean isByDevice() {
    return stock == null && device != null && (route == null || !route.isByDataNode());
  }

  private void closeDevice() {
    BlockReader open = device;
    if (open != null) {
      open.close();
    }
  }

  /**
   * 0, the distance of Hadoop's own short-circuit reader, for the bytes come from a device of this
   * host; else the distance of the DataNode that sends them.
   */
  @Override
  public int getNetworkDistance() {
    StockReplicaReader reader = stock;
    if (reader != null) {
      return reader.networkDistance();
    }
    if (isByDevice()) {
      return 0;
    }
    if (device == null && first != null) {
      return first.networkDistance();
    }
    return route == null ? 0 : route.networkDistance();
  }

  private int readable(long pos, int wanted) {
    if (pos < 0) {
      throw new IllegalArgumentException("position " + pos + " in " + request.block());
    }
    if (wanted == 0) {
      return 0;
    }
    return pos >= length ? -1 : (int) Math.min(wanted, length - pos);
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the reader of " + request.block() + " is closed");
    }
  }

  /**
   * Leaves this and all later reads to stock HDFS.
   *
   * @throws IOException if nothing failed but that this accessor was closed
   * @throws InterruptedIOException if the thread was interrupted; later reads try the device again
   */
  private synchronized void fallBack(Throwable cause) throws IOException {
    FallbackReason reason =
        cause instanceof FallbackException refused
            ? refused.reason()
            : FallbackReason.INTERNAL_ERROR;
    if (reason == FallbackReason.ACCESSOR_CLOSED && closed) {
      throw new IOException("the reader of " + request.block() + " was closed meanwhile", cause);
    }
    if (reason == FallbackReason.INTERRUPTED && Thread.currentThread().isInterrupted()) {
      // What DFSInputStream passes on, together with the flag, and blames no DataNode for.
      throw (IOException)
          new InterruptedIOException("interrupted while reading " + request.block())
              .initCause(cause);
    }
    if (stock != null) {
      return;
    }
    context.counters().fallback(reason);
    FallbackLog.SHARED.log(cause, request.fileName());
    stock = new StockReplicaReader(stockSource, stockOpener, request, length);
    closeDevice();
    closeFirst();
    if (route != null) {
      route.close();
    }
  }

  /** After a read that another replica served. */
  private void askAboutSuspect(BlockReader device, long pos, int count) {
    FileMap suspect = device.takeSuspect();
    if (suspect != null) {
      long chunk = suspect.checksum().bytesPerChecksum();
      long from = pos - pos % chunk;
      // What was read ahead is suspect too.
      long to = Math.min(suspect.blockLength(), pos + count + context.windows().largestWindow());
      StockVerdict.ask(stockSource, stockOpener, request, suspect, from, to);
    }
  }

  private void readStock(long pos, ByteBuffer target) throws IOException {
    StockReplicaReader reader = Objects.requireNonNull(stock);
    int count = target.remaining();
    try {
      reader.readFully(pos, target);
      context.counters().stockBytes.add(count);
    } finally {
      if (closed) {
        // close() may have come before there was a stock reader to close.
        reader.close();
      }
    }
  }
}
