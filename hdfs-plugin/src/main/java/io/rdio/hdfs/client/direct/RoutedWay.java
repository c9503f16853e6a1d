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
 * <p>What belongs together is a {@link RoutedUnit}, which may be a look at the other way. A run may
 * also go by {@linkplain BothWays both ways}.
 *
 * <p>Safe for any number of threads, one at a time; a close may come at any time.
 */
final class RoutedWay extends BufferWay {
  /** How much of a read is done at a time by a device that may turn out to be busy. */
  private static final int LOOK_PIECE = 64 << 10;

  private final Routing routing;
  private final DeviceWay device;
  private final boolean ownsDevice;
  private final BlockToRead block;
  private final ReadContext context;

  private @Nullable Router router;
  private boolean positional;
  private volatile @Nullable BothWays both;

  private final RoutedUnit unit = new RoutedUnit();

  /** Whether the unit goes by a DataNode; for any thread. */
  private volatile boolean byDataNode;

  /** Whether the unit goes by both ways. */
  private boolean together;

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
    boolean isPast = offset >= readerEnd; // the reader went elsewhere
    if (isPast && unit.isByDataNode() && unit.isLook() && unit.hasBegun()) {
      cutLookShort(by);
      leaveDataNode();
    }
    if (unit.isOver()) {
      begin(by, offset);
    }
    if (unit.isByDataNode()) {
      int count = readDataNode(by, offset, target);
      if (count > 0) {
        return count;
      }
      unit.fallBackToDevice();
      byDataNode = false;
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

  private void begin(Router by, long offset) {
    Route present = by.present();
    boolean silent = context.maps().hasSilentDataNodes(); // one that does not answer is no way
    BothWays ways = both;
    together = ways != null && ways.begin(!silent && !by.hasOutage());
    boolean chooses = !silent && !together;
    Route route = chooses ? choose(by, offset) : Route.DEVICE;
    boolean look = chooses && route != present;
    unit.begin(route, look, positional, block.length() - offset);
    byDataNode = unit.isByDataNode();
    if (ownsDevice) {
      device.reader().goesOnByDevice(!chooses || present == Route.DEVICE);
    }
    if (look && route == Route.DATANODE) {
      readerEnd = 0; // what is open may be one for all of the rest
    }
    if (ways != null && look) {
      ways.begin(false); // it is to find out about one way alone
    }
    if (ways != null && route == Route.DATANODE) {
      ways.leave(); // it brings all of the unit
    }
  }

  /** What is left of a block is warm: where it is short, nothing is to be seen there. */
  private Route choose(Router by, long offset) {
    long rest = block.length() - offset;
    boolean isWholeBlock = offset == 0 && rest >= RoutedUnit.LEAST_PART;
    boolean mayLook = positional || RoutedUnit.isLong(rest) || isWholeBlock;
    return mayLook ? by.choose() : by.present();
  }

  private int readDevice(Router by, long offset, ByteBuffer target) throws FallbackException {
    int wanted = unit.isWarmingUp() ? Math.min(target.remaining(), LOOK_PIECE) : target.remaining();
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
    endAt(by, offset + count);
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

  /** Bytes read; 0 if no DataNode could: then the device is to. */
  private int readDataNode(Router by, long offset, ByteBuffer target) throws FallbackException {
    int count = (int) Math.min(target.remaining(), mostByDataNode(offset));
    ByteBuffer part = target.duplicate();
    part.limit(part.position() + count);
    long start = routing.now();
    int reads = by.begin(Route.DATANODE);
    try {
      reader(offset, count).readFully(offset, part);
    } catch (IOException e) {
      requireWanted(e);
      by.failed(Route.DATANODE, routing.now() - start);
      FallbackLog.SHARED.log(reason("failed at " + offset + ": " + e), block.request().fileName());
      return 0;
    } finally {
      by.end(Route.DATANODE);
    }
    context.counters().stockBytes.add(count);
    device.reader().cameElsewhere(offset, count);
    took(by, reads, count, routing.now() - start);
    endAt(by, offset + count);
    return count;
  }

  /** So that one large read is not all of a look. */
  private long mostByDataNode(long offset) {
    if (unit.isWarmingUp()) {
      return unit.leftToWarmUp();
    }
    boolean isLooking = unit.isLook() && readerEnd > offset;
    return isLooking ? readerEnd - offset : Long.MAX_VALUE;
  }

  /**
   * What is the caller's alone says nothing of the DataNode: one task that is killed must not send
   * all others to the device.
   */
  private void requireWanted(IOException failure) throws FallbackException {
    boolean interrupted = Thread.currentThread().isInterrupted();
    if (closed || interrupted) {
      unit.end();
      throw new FallbackException(
          closed ? FallbackReason.ACCESSOR_CLOSED : FallbackReason.INTERRUPTED,
          "reading " + block.request().block() + " by a DataNode",
          failure);
    }
  }

  private void took(Router by, int reads, int count, long tookNanos) {
    if (unit.isOver()) {
      return; // the DataNode was to read this, and failed
    }
    double usual = by.usualNanos();
    switch (unit.add(reads, count, tookNanos, usual)) {
      case WARMED_UP -> warmedUp(by, usual);
      case BUSY -> {
        by.warmedUp(unit.openingNanos());
        finish(by, unit.busyNanos(usual));
        leaveDataNode();
      }
      case OVER -> finish(by, unit.wholeNanos());
      case GOES_ON -> {}
    }
  }

  private void warmedUp(Router by, double usual) {
    by.warmedUp(unit.lostNanos(usual));
    unit.warmedUp();
    BothWays ways = both;
    if (ways != null) {
      ways.measureAnew();
    }
  }

  /** It would send all that it was asked for to nobody. */
  private void leaveDataNode() {
    if (unit.isByDataNode()) {
      closeReader();
      readerEnd = 0;
    }
  }

  /** The unit that reads belong to is over, of which a whole one takes so long. */
  private void finish(Router by, long wholeNanos) {
    unit.end();
    BothWays ways = both;
    boolean mixed = ways != null && ways.unit(wholeNanos, unit.isLook());
    if (!mixed && !together) {
      by.sample(unit.route(), unit.underWay(), wholeNanos);
    }
  }

  /** Nothing more comes of the unit if a read has come to the block's end. */
  private void endAt(Router by, long end) {
    if (end < block.length() || unit.isOver()) {
      return;
    }
    if (unit.isLook()) {
      cutLookShort(by);
      return;
    }
    boolean isMeasure = unit.isMeasure();
    unit.end();
    BothWays ways = both;
    // Ranges need longer runs: these say nothing of both ways.
    if (isMeasure && !together && (ways == null || !ways.isMixed())) {
      by.part(unit.route(), unit.underWay(), unit.bytes(), unit.nanos());
    }
  }

  private void cutLookShort(Router by) {
    if (unit.isMeasure()) {
      finish(by, unit.wholeNanos());
    } else {
      by.warmedUp(unit.lostNanos(by.usualNanos()));
      unit.end();
    }
  }

  /** A reader of the rest; for a look at it, of no more than that takes. */
  private StockReplicaReader reader(long offset, int count) {
    StockReplicaReader open = reader;
    if (open == null || offset + count > readerEnd) {
      closeReader();
      long end = block.length();
      long look = (long) RoutedUnit.LOOK * Math.max(count, Routers.RUN_UNIT);
      readerEnd = unit.isLook() ? Math.min(end, offset + look) : end;
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

  @Override
  public boolean isByDevice() {
    BothWays ways = both;
    return !byDataNode && (ways == null || !ways.isByDataNode());
  }

  /** To the device or the DataNode that read last. */
  @Override
  public int networkDistance() {
    if (isByDevice()) {
      return 0;
    }
    BothWays ways = both;
    if (ways != null && !byDataNode) {
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
