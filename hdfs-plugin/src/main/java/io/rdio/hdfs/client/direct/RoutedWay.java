// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.read.ReadContext;
import io.rdio.client.route.Route;
import io.rdio.client.route.Router;
import io.rdio.client.route.Routers;
import io.rdio.client.route.Together;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.hdfs.client.stock.StockReplicaReader;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BufferWay;
import io.rdio.hdfs.client.way.FallbackLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * By the device or by a DataNode, whichever is faster: chosen for each positional read, and for
 * each {@link Routers#RUN_UNIT} of a run in order.
 *
 * <p>A run looks at the other way by two units. The first is no measure: it makes a connection, or
 * is what the device reads before it has enough to do. A way that turns out to be busy is left
 * before the first one is over. A run may also go by {@linkplain BothWays both ways}.
 *
 * <p>Safe for any number of threads, one at a time; a close may come at any time.
 */
final class RoutedWay extends BufferWay {
  /** Units of a look at the other way. */
  private static final int LOOK = 2;

  /** A part of a unit that is a measure, where the block has no more. */
  private static final int LEAST_PART = 1 << 20;

  /** How much of a read is done at a time by a device that may turn out to be busy. */
  private static final int LOOK_PIECE = 64 << 10;

  /**
   * A busy way is left when it has taken as long as so many units of the present one for a part of
   * one: it is seen as slow, and what it would have taken for the rest does not matter.
   */
  private static final double BUSY = 3;

  private final Routing routing;
  private final DeviceWay device;
  private final boolean ownsDevice;
  private final BlockToRead block;
  private final ReadContext context;

  private @Nullable Router router;
  private boolean positional;
  private volatile @Nullable BothWays both;

  // The unit that reads belong to: how it goes, and what was read of it so far.
  private volatile Route route = Route.DEVICE;
  private boolean probe;
  private boolean warm = true;
  private boolean together;
  private int underWay;
  private long bytes;
  private long nanos;
  private boolean unitOver = true;

  private volatile @Nullable StockReplicaReader reader;
  private long readerEnd;
  private boolean told;
  private volatile boolean closed;

  private RoutedWay(Routing routing, DeviceWay device, boolean ownsDevice, BlockToRead block) {
    this.routing = routing;
    this.device = device;
    this.ownsDevice = ownsDevice;
    this.block = block;
    this.context = routing.context();
  }

  /**
   * Waits for the block's map, as {@link DeviceWay#open} does.
   *
   * @throws FallbackException why stock HDFS must serve this block
   */
  static RoutedWay open(Routing routing, BlockToRead block) throws FallbackException {
    return new RoutedWay(routing, DeviceWay.open(routing.context(), block), true, block);
  }

  /**
   * The same for one positional read up to the block's end, without a wait.
   *
   * @param device to the same block, which others may read by; not closed here
   */
  static RoutedWay onlyOnce(Routing routing, DeviceWay device, BlockToRead block) {
    return new RoutedWay(routing, device, false, block);
  }

  /**
   * Fills a buffer from its position on.
   *
   * @return bytes read, mostly all that there is room for
   * @throws FallbackException why the device cannot, where it is the device that was to; where it
   *     is a DataNode, ACCESSOR_CLOSED or INTERRUPTED
   */
  @Override
  protected int read(long offset, ByteBuffer target) throws FallbackException {
    int count = readByRoute(offset, target);
    device.askAboutSuspects(offset, count);
    return count;
  }

  private synchronized int readByRoute(long offset, ByteBuffer target) throws FallbackException {
    Router by = router == null ? firstRead(offset, target.remaining()) : router;
    if (probe && bytes > 0 && offset + target.remaining() > readerEnd && isByDataNode()) {
      finish(by); // what was asked for of the DataNode is used up, nearly
    }
    if (unitOver) {
      begin(by);
    }
    if (route == Route.DATANODE) {
      if (readDataNode(by, offset, target)) {
        return target.remaining();
      }
      unitOver = true;
      route = Route.DEVICE;
    }
    return readDevice(by, offset, target);
  }

  private Router firstRead(long offset, int count) {
    positional = offset + count == block.length(); // it asks for all that it wants at once
    DeviceIdentity identity = device.reader().deviceIdentity();
    Router by =
        positional
            ? routing.routers().positional(identity, count)
            : routing.routers().sequential(identity);
    both = positional || !ownsDevice ? null : bothWays(identity);
    router = by;
    return by;
  }

  private @Nullable BothWays bothWays(DeviceIdentity identity) {
    Executor threads = routing.threads();
    Together known = routing.routers().together(identity);
    return threads == null || known == null
        ? null
        : new BothWays(routing, threads, device, block, known);
  }

  private void begin(Router by) {
    Route present = by.present();
    boolean silent = context.maps().hasSilentDataNodes(); // one that does not answer is no way
    BothWays ways = both;
    together = ways != null && ways.begin(!silent && !by.hasOutage());
    route = silent || together ? Route.DEVICE : by.choose();
    probe = !silent && !together && route != present;
    warm = !probe || positional;
    bytes = 0;
    nanos = 0;
    unitOver = false;
    if (ownsDevice) {
      device.reader().goesOnByDevice(silent || together || present == Route.DEVICE);
    }
    if (probe && isByDataNode()) {
      readerEnd = 0; // what is open may be one for all of the rest
    }
    if (ways != null && isByDataNode()) {
      ways.leave(); // it brings all of the unit
    }
  }

  private int readDevice(Router by, long offset, ByteBuffer target) throws FallbackException {
    int wanted = looksForFirst() ? Math.min(target.remaining(), LOOK_PIECE) : target.remaining();
    BothWays ways = both;
    int count = wanted;
    long searched = searchNanos();
    long start = routing.now();
    int reads = by.begin(Route.DEVICE);
    try {
      if (ways == null) {
        device.reader().read(offset, target, target.position(), wanted);
      } else {
        count = ways.read(offset, target, wanted);
      }
    } finally {
      by.end(Route.DEVICE);
    }
    // A device that had to be opened is no slow one.
    took(by, reads, count, routing.now() - start - (searchNanos() - searched));
    endWith(by, offset + count);
    if (ways != null) {
      afterBoth(by, ways, offset);
    }
    return count;
  }

  /** Of readers of its own: what others do meanwhile is no part of what a read took. */
  private long searchNanos() {
    BothWays ways = both;
    if (ways != null) {
      return ways.searchNanos();
    }
    return ownsDevice ? device.reader().searchNanos() : 0;
  }

  /** What follows for the DataNode, which may have brought what was read, or broken off. */
  private void afterBoth(Router by, BothWays ways, long offset) {
    if (ways.isByDataNode()) {
      tell();
    }
    IOException failure = ways.takeFailure();
    if (failure != null) {
      by.failed(Route.DATANODE, 0); // nobody has waited for it
      FallbackLog.SHARED.log(
          reason("failed ahead of " + offset + ": " + failure), block.request().fileName());
    }
  }

  /** Whether this is the first unit of a look, which is left early where the way is busy. */
  private boolean looksForFirst() {
    return !warm && !unitOver;
  }

  /** False if no DataNode could; then the device is to. */
  private boolean readDataNode(Router by, long offset, ByteBuffer target) throws FallbackException {
    int count = target.remaining();
    long start = routing.now();
    int reads = by.begin(Route.DATANODE);
    try {
      reader(offset, count).readFully(offset, target.duplicate());
    } catch (IOException e) {
      requireWanted(e);
      by.failed(Route.DATANODE, routing.now() - start);
      FallbackLog.SHARED.log(reason("failed at " + offset + ": " + e), block.request().fileName());
      return false;
    } finally {
      by.end(Route.DATANODE);
    }
    context.counters().stockBytes.add(count);
    device.reader().cameElsewhere(offset, count);
    took(by, reads, count, routing.now() - start);
    endWith(by, offset + count);
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
    double usual = by.usualNanos();
    double units = (double) bytes / Routers.RUN_UNIT;
    if (looksForFirst() && (double) nanos > BUSY * usual) {
      finish(by, nanos + (long) (Math.max(0, 1 - units) * usual));
      leaveBusyDataNode();
    } else if (!warm && bytes >= Routers.RUN_UNIT) {
      by.warmedUp((double) nanos - units * usual);
      measureAnew();
    } else if (positional || bytes >= Routers.RUN_UNIT) {
      finish(by);
    }
  }

  /** What there is at the block's end is a measure, too: else short blocks would say nothing. */
  private void endWith(Router by, long end) {
    if (end == block.length() && warm && bytes >= LEAST_PART) {
      finish(by);
    }
  }

  /** It would send all that it was asked for to nobody. */
  private void leaveBusyDataNode() {
    if (isByDataNode()) {
      closeReader();
      readerEnd = 0;
    }
  }

  private void measureAnew() {
    warm = true;
    bytes = 0;
    nanos = 0;
    BothWays ways = both;
    if (ways != null) {
      ways.measureAnew();
    }
  }

  private void finish(Router by) {
    if (!unitOver) {
      double units = positional ? 1 : (double) bytes / Routers.RUN_UNIT;
      finish(by, (long) (nanos / units));
    }
  }

  /** The unit that reads belong to is over, of which a whole one takes so long. */
  private void finish(Router by, long unitNanos) {
    unitOver = true;
    BothWays ways = both;
    boolean mixed = ways != null && ways.unit(unitNanos, probe);
    if (!mixed && !together) {
      by.sample(route, underWay, unitNanos);
    }
  }

  /** A reader of the rest; for a look at it, of no more than that takes. */
  private StockReplicaReader reader(long offset, int count) {
    StockReplicaReader open = reader;
    if (open == null || offset + count > readerEnd) {
      closeReader();
      long end = block.length();
      readerEnd =
          probe ? Math.min(end, offset + (long) LOOK * Math.max(count, Routers.RUN_UNIT)) : end;
      open = new StockReplicaReader(block.stock(), readerEnd, new FirstReplica(context.maps()));
      reader = open;
      tell();
    }
    return open;
  }

  /** Counts once that a DataNode reads some of the block. */
  private void tell() {
    if (!told) {
      told = true;
      context.counters().fallback(FallbackReason.DATANODE_FASTER);
    }
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
    BothWays ways = both;
    return !isByDataNode() && (ways == null || !ways.isByDataNode());
  }

  /** To the device or the DataNode that read last. */
  @Override
  public int networkDistance() {
    if (isByDevice()) {
      return 0;
    }
    BothWays ways = both;
    if (ways != null && !isByDataNode()) {
      return ways.networkDistance();
    }
    StockReplicaReader open = reader;
    return open == null ? Integer.MAX_VALUE : open.networkDistance();
  }

  @Override
  public void close() {
    closed = true;
    BothWays ways = both;
    if (ways != null) {
      ways.close();
    }
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
