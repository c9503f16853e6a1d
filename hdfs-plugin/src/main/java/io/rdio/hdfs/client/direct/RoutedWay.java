// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.read.ReadContext;
import io.rdio.client.route.Route;
import io.rdio.client.route.Router;
import io.rdio.client.route.Routers;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.stock.StockReplicaReader;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BufferWay;
import io.rdio.hdfs.client.way.FallbackLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * By the device or by a DataNode, whichever is faster: chosen for each positional read, and for
 * each {@link Routers#UNIT} of a run in order.
 *
 * <p>Safe for any number of threads, one at a time; a close may come at any time.
 */
final class RoutedWay extends BufferWay {
  /** A reader of a DataNode in so many begins by any replica. */
  private static final int VISIT_EVERY = 64;

  private final Routers routers;
  private final DeviceWay device;
  private final boolean ownsDevice;
  private final BlockToRead block;
  private final ReadContext context;

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
  private volatile boolean closed;

  private RoutedWay(
      ReadContext context,
      Routers routers,
      DeviceWay device,
      boolean ownsDevice,
      BlockToRead block) {
    this.routers = routers;
    this.device = device;
    this.ownsDevice = ownsDevice;
    this.block = block;
    this.context = context;
  }

  /**
   * Waits for the block's map, as {@link DeviceWay#open} does.
   *
   * @throws FallbackException why stock HDFS must serve this block
   */
  static RoutedWay open(ReadContext context, Routers routers, BlockToRead block)
      throws FallbackException {
    return new RoutedWay(context, routers, DeviceWay.open(context, block), true, block);
  }

  /**
   * The same for one positional read up to the block's end, without a wait.
   *
   * @param device to the same block, which others may read by; not closed here
   */
  static RoutedWay onlyOnce(
      ReadContext context, Routers routers, DeviceWay device, BlockToRead block) {
    return new RoutedWay(context, routers, device, false, block);
  }

  /**
   * Fills a buffer from its position to its limit.
   *
   * @throws FallbackException why the device cannot, where it is the device that was to; where it
   *     is a DataNode, ACCESSOR_CLOSED or INTERRUPTED
   */
  @Override
  protected int read(long offset, ByteBuffer target) throws FallbackException {
    int count = target.remaining();
    readByRoute(offset, target);
    device.askAboutSuspects(offset, count);
    return count;
  }

  private synchronized void readByRoute(long offset, ByteBuffer target) throws FallbackException {
    Router by = router == null ? firstRead(offset, target.remaining()) : router;
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
      readDevice(by, offset, target);
    }
  }

  private Router firstRead(long offset, int count) {
    positional = offset + count == block.length(); // it asks for all that it wants at once
    Router by =
        positional
            ? routers.positional(device.reader().deviceIdentity(), count)
            : routers.sequential(device.reader().deviceIdentity());
    router = by;
    return by;
  }

  private void begin(Router by) {
    Route present = by.present();
    // A DataNode that does not answer is no way.
    route = context.maps().hasSilentDataNodes() ? Route.DEVICE : by.choose();
    probe = route != present;
    bytes = 0;
    nanos = 0;
    unitOver = false;
  }

  private void readDevice(Router by, long offset, ByteBuffer target) throws FallbackException {
    int count = target.remaining();
    long start = System.nanoTime();
    int reads = by.begin(Route.DEVICE);
    try {
      device.reader().read(offset, target, target.position(), count);
    } finally {
      by.end(Route.DEVICE);
    }
    took(by, reads, count, System.nanoTime() - start);
  }

  /** False if no DataNode could; then the device is to. */
  private boolean readDataNode(Router by, long offset, ByteBuffer target) throws FallbackException {
    int count = target.remaining();
    long start = System.nanoTime();
    int reads = by.begin(Route.DATANODE);
    try {
      reader(offset, count).readFully(offset, target.duplicate());
    } catch (IOException e) {
      requireWanted(e);
      by.failed(Route.DATANODE, System.nanoTime() - start);
      FallbackLog.SHARED.log(reason("failed at " + offset + ": " + e), block.request().fileName());
      return false;
    } finally {
      by.end(Route.DATANODE);
    }
    context.counters().stockBytes.add(count);
    device.reader().cameElsewhere(offset, count);
    took(by, reads, count, System.nanoTime() - start);
    return true;
  }

  /**
   * What is the caller's alone says nothing of the DataNode: one task that is killed must not send
   * all others to the device.
   */
  private void requireWanted(IOException failure) throws FallbackException {
    boolean interrupted = Thread.currentThread().isInterrupted();
    if (closed || interrupted) {
      unitOver = true; // what there is of it is no measure
      throw new FallbackException(
          closed ? FallbackReason.ACCESSOR_CLOSED : FallbackReason.INTERRUPTED,
          "reading " + block.request().block() + " by a DataNode",
          failure);
    }
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
      closeReader();
      long end = block.length();
      readerEnd = probe ? Math.min(end, offset + Math.max(count, Routers.UNIT)) : end;
      open = new StockReplicaReader(block.stock(), readerEnd, this::firstReplica);
      reader = open;
      if (!told) {
        told = true;
        context.counters().fallback(FallbackReason.DATANODE_FASTER);
      }
    }
    return open;
  }

  /**
   * The nearest one. Where reads are to come to all replicas, now and then any: the order is that
   * of the NameNode's last answer, so that one would be read, and others could be corrupt, for
   * long.
   */
  private int firstReplica(int replicas) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    boolean visits = context.maps().replicas() > 1 && random.nextInt(VISIT_EVERY) == 0;
    return visits ? random.nextInt(replicas) : 0;
  }

  private FallbackException reason(String detail) {
    return new FallbackException(
        FallbackReason.DATANODE_FASTER, block.request().block() + " " + detail);
  }

  private boolean isByDataNode() {
    return route == Route.DATANODE;
  }

  @Override
  public boolean isByDevice() {
    return !isByDataNode();
  }

  /** To the device or the DataNode that read last. */
  @Override
  public int networkDistance() {
    if (isByDevice()) {
      return 0;
    }
    StockReplicaReader open = reader;
    return open == null ? Integer.MAX_VALUE : open.networkDistance();
  }

  @Override
  public void close() {
    closed = true;
    if (ownsDevice) {
      device.close();
    }
    closeReader();
  }

  private void closeReader() {
    StockReplicaReader open = reader;
    if (open != null) {
      open.close();
    }
  }
}
