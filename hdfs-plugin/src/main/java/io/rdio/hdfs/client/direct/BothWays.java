// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.read.ReadContext;
import io.rdio.client.read.SharedRun;
import io.rdio.client.route.Together;
import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.way.BlockToRead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A run in order by the device, of which a DataNode brings ranges ahead while both together are the
 * faster ({@link SharedRun} says which, {@link Together} when). A range that is not here when it is
 * wanted is read by another reader of the device: so what this one has read ahead behind it is
 * still there when the run comes to it.
 *
 * <p>For one thread at a time, but for {@link #close}.
 */
final class BothWays {
  /** What the device reads at a time, so that what is behind it can be left to the DataNode. */
  private static final int PIECE = 1 << 20;

  /** How long a range is waited for at least, and at most: for as long as the device would take. */
  private static final long LEAST_PATIENCE = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long MOST_PATIENCE = TimeUnit.SECONDS.toNanos(1);

  private final ReadContext context;
  private final BlockToRead block;
  private final DeviceWay device;
  private final Together together;
  private final DataNodeRanges dataNode;
  private final SharedRun run;
  private volatile boolean byDataNode;
  private volatile boolean closed;

  // Instead of a range that is not here, up to its end.
  private volatile @Nullable DeviceWay detour;
  private long detourEnd;
  private long detourSearchNanos;

  private long next;

  /** Whether what was read since the measure began is none of one way alone. */
  private boolean mixed;

  /**
   * @param threads that read what the DataNode brings
   * @param device whose reader's runs they are
   */
  BothWays(
      Routing routing, Executor threads, DeviceWay device, BlockToRead block, Together together) {
    this.context = routing.context();
    this.block = block;
    this.device = device;
    this.together = together;
    this.dataNode = new DataNodeRanges(block, context.maps());
    this.run = new SharedRun(context.windows(), routing::now, dataNode, threads, together);
    device.reader().share(run);
  }

  /**
   * A unit of the run begins.
   *
   * @param may whether the DataNode may take on ranges meanwhile
   * @return whether it goes by both ways
   */
  synchronized boolean begin(boolean may) {
    run.mayTakeOn(may);
    measureAnew();
    return may && together.isOn();
  }

  /** What was read before is no part of what is measured from now on. */
  synchronized void measureAnew() {
    mixed = false;
  }

  /** Whether a DataNode carried the bytes of the last read. */
  boolean isByDataNode() {
    return byDataNode;
  }

  /** To that DataNode. */
  int networkDistance() {
    return dataNode.networkDistance();
  }

  /**
   * Reads some bytes to a buffer's position, which stays as it is.
   *
   * @param wanted bytes, for which there is room
   * @return bytes read, at least 1
   * @throws FallbackException why the device cannot
   */
  synchronized int read(long offset, ByteBuffer target, int wanted) throws FallbackException {
    if (offset != next) {
      leave(); // the reader goes elsewhere
    }
    mixed |= run.hasRanges();
    byDataNode = false;
    DeviceWay around = detour;
    int count = around == null ? readRange(offset, target) : readAround(around, offset, target);
    if (count == 0) {
      count = readDevice(offset, target, wanted);
    }
    next = offset + count;
    return count;
  }

  /** By the DataNode, or around what it did not bring; 0 where it was to bring nothing. */
  private int readRange(long offset, ByteBuffer target) throws FallbackException {
    long end = run.hasRanges() ? run.endOf(offset) : SharedRun.NOWHERE;
    if (end == SharedRun.NOWHERE) {
      return 0;
    }
    int count = run.read(offset, target, patience(end - offset));
    if (count == 0) {
      DeviceWay around = DeviceWay.open(context, block.upTo(end));
      detour = around;
      detourEnd = end;
      if (closed) {
        endDetour(); // close() may have looked before it was there
      }
      return readAround(around, offset, target);
    }
    byDataNode = true;
    context.counters().stockBytes.add(count);
    context.counters().togetherBytes.add(count);
    device.reader().cameElsewhere(offset, count);
    return count;
  }

  private long patience(long bytes) {
    long nanos = device.reader().deviceNanos((int) Math.min(bytes, Integer.MAX_VALUE));
    return Math.max(LEAST_PATIENCE, Math.min(nanos, MOST_PATIENCE));
  }

  private int readAround(DeviceWay around, long offset, ByteBuffer target)
      throws FallbackException {
    int count = (int) Math.min(target.remaining(), detourEnd - offset);
    long searched = around.reader().searchNanos();
    around.reader().read(offset, target, target.position(), count);
    detourSearchNanos += around.reader().searchNanos() - searched;
    around.askAboutSuspects(offset, count);
    device.reader().cameElsewhere(offset, count);
    if (offset + count == detourEnd) {
      endDetour();
    }
    return count;
  }

  private int readDevice(long offset, ByteBuffer target, int wanted) throws FallbackException {
    int most = together.isOn() ? Math.min(wanted, PIECE) : wanted;
    int count = (int) Math.min(most, run.startBehind(offset) - offset);
    device.reader().read(offset, target, target.position(), count);
    return count;
  }

  /** What reads of the device have spent on looking for other replicas, in nanoseconds. */
  synchronized long searchNanos() {
    return device.reader().searchNanos() + detourSearchNanos;
  }

  /**
   * A unit of the run is over.
   *
   * @param look whether it was to find out about one way alone
   * @return whether it says nothing of one way alone: some of it came by the DataNode, or will
   */
  synchronized boolean unit(long nanos, boolean look) {
    boolean wasMixed = isMixed();
    if (!look) {
      together.unit(nanos, wasMixed);
    }
    return wasMixed;
  }

  /** Whether some of what was read since the measure began, or is next, is not the device's. */
  synchronized boolean isMixed() {
    return mixed || run.hasRanges();
  }

  /** Why the DataNode brings nothing more, once; null if it does. */
  @Nullable IOException takeFailure() {
    IOException failure = run.takeFailure();
    if (failure != null) {
      together.failed();
    }
    return failure;
  }

  /** Leaves all that the DataNode was to bring: the run goes on by one way, or elsewhere. */
  synchronized void leave() {
    run.leave();
    endDetour();
  }

  private void endDetour() {
    DeviceWay around = detour;
    detour = null;
    if (around != null) {
      around.close();
    }
  }

  /** At any time, from any thread and repeatedly; waits for no read. */
  void close() {
    closed = true;
    run.close();
    endDetour();
  }
}
