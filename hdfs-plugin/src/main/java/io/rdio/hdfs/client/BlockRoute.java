// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.filemap.BlockRequest;
import io.rdio.client.read.BlockReader;
import io.rdio.client.route.Route;
import io.rdio.client.route.Router;
import io.rdio.client.route.Routers;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.stock.StockBlockSource;
import io.rdio.hdfs.client.stock.StockReplicaReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The route of one accessor's reads, of the two that are open to them: chosen for each positional
 * read, and for each {@link Routers#UNIT} of a run in order.
 *
 * <p>Safe for any number of threads, one at a time; a close may come at any time.
 */
final class BlockRoute implements Closeable {
  private final Routers routers;
  private final StockBlockSource source;
  private final StockReplicaReader.Opener opener;
  private final BlockRequest request;
  private final ClientCounters counters;
  private final long length;

  private @Nullable Router router;
  private boolean positional;

  // The unit that reads belong to: how it goes, and what was read of it so far.
  private volatile Route route = Route.DEVICE;
  private boolean probe;
  private int underWay;
  private long bytes;
  private long nanos;
  private boolean unitOver = true;

  private volatile @Nullable StockReplicaReader reader;
  private long readerEnd;
  private boolean told;

  /**
   * @param length where the block's reader stops, in bytes from the block's start
   */
  BlockRoute(
      Routers routers,
      StockBlockSource source,
      StockReplicaReader.Opener opener,
      BlockRequest request,
      ClientCounters counters,
      long length) {
    this.routers = routers;
    this.source = source;
    this.opener = opener;
    this.request = request;
    this.counters = counters;
    this.length = length;
  }

  /**
   * Fills a buffer from its position to its limit, which must not reach behind the length.
   *
   * @throws FallbackException why the device cannot, where it is the device that was to
   */
  synchronized void read(BlockReader device, long offset, ByteBuffer target)
      throws FallbackException {
    Router by = router == null ? firstRead(device, offset, target.remaining()) : router;
    if (probe && bytes > 0 && offset + target.remaining() > readerEnd && isByDataNode()) {
      finish(by); // what was asked for of the DataNode is used up, nearly
    }
    if (unitOver) {
      begin(by);
    }
    if (route == Route.DATANODE && !readDataNode(by, offset, target)) {
      unitOver = true;
      route = Route.DEVICE;
    }
    if (route == Route.DEVICE) {
      readDevice(by, device, offset, target);
    }
  }

  private Router firstRead(BlockReader device, long offset, int count) {
    positional = offset + count == length; // it asks for all that it wants at once
    Router by =
        positional
            ? routers.positional(device.deviceIdentity(), count)
            : routers.sequential(device.deviceIdentity());
    router = by;
    return by;
  }

  private void begin(Router by) {
    Route present = by.present();
    route = by.choose();
    probe = route != present;
    bytes = 0;
    nanos = 0;
    unitOver = false;
  }

  private void readDevice(Router by, BlockReader device, long offset, ByteBuffer target)
      throws FallbackException {
    int count = target.remaining();
    long start = System.nanoTime();
    int reads = by.begin(Route.DEVICE);
    try {
      device.read(offset, target, target.position(), count);
    } finally {
      by.end(Route.DEVICE);
    }
    took(by, reads, count, System.nanoTime() - start);
  }

  /** False if no DataNode could; then the device is to. */
  private boolean readDataNode(Router by, long offset, ByteBuffer target) {
    int count = target.remaining();
    long start = System.nanoTime();
    int reads = by.begin(Route.DATANODE);
    try {
      reader(offset, count).readFully(offset, target.duplicate());
    } catch (IOException e) {
      by.failed(Route.DATANODE, System.nanoTime() - start);
      FallbackLog.SHARED.log(reason("failed at " + offset + ": " + e), request.fileName());
      return false;
    } finally {
      by.end(Route.DATANODE);
    }
    counters.stockBytes.add(count);
    took(by, reads, count, System.nanoTime() - start);
    return true;
  }

  private void took(Router by, int reads, int count, long tookNanos) {
    if (unitOver) {
      return; // the DataNode was to read this, and failed
    }
    underWay = bytes == 0 ? reads : underWay;
    bytes += count;
    nanos += tookNanos;
    if (positional || bytes >= Routers.UNIT) {
      finish(by);
    }
  }

  private void finish(Router by) {
    if (!unitOver) {
      unitOver = true;
      double units = positional ? 1 : (double) bytes / Routers.UNIT;
      by.sample(route, underWay, (long) (nanos / units));
    }
  }

  /** A reader of the rest; for a probe, of no more than a unit. */
  private StockReplicaReader reader(long offset, int count) {
    StockReplicaReader open = reader;
    if (open == null || offset + count > readerEnd) {
      close();
      readerEnd = probe ? Math.min(length, offset + Math.max(count, Routers.UNIT)) : length;
      open = new StockReplicaReader(source, opener, request, readerEnd);
      reader = open;
      if (!told) {
        told = true;
        counters.fallback(FallbackReason.DATANODE_FASTER);
      }
    }
    return open;
  }

  private FallbackException reason(String detail) {
    return new FallbackException(FallbackReason.DATANODE_FASTER, request.block() + " " + detail);
  }

  /** Whether the last read was by a DataNode. */
  boolean isByDataNode() {
    return route == Route.DATANODE;
  }

  /** As Hadoop counts it, to the DataNode that read last. */
  int networkDistance() {
    StockReplicaReader open = reader;
    return open == null ? Integer.MAX_VALUE : open.networkDistance();
  }

  /** Does not wait for a read under way. */
  @Override
  public void close() {
    StockReplicaReader open = reader;
    if (open != null) {
      open.close();
    }
  }
}
