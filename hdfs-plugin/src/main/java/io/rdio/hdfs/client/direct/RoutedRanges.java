// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.read.ExtentRanges;
import io.rdio.client.read.ReadContext;
import io.rdio.client.route.Route;
import io.rdio.client.route.Router;
import io.rdio.client.route.Routers;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.RangeReads;
import java.nio.ByteBuffer;

/**
 * Ranges of a block by the device, all together, or by a DataNode, one by one: whichever way has
 * such sets of them sooner. Chosen once for the set, which is one read to the {@link Router}. For
 * one thread at a time.
 */
final class RoutedRanges implements RangeReads {
  private final RangeReads ranges;
  private final Router router;
  private final Route route;
  private final int setsUnderWay;
  private boolean over;

  private RoutedRanges(RangeReads ranges, Router router, Route route) {
    this.ranges = ranges;
    this.router = router;
    this.route = route;
    this.setsUnderWay = router.begin(route);
  }

  /**
   * Chooses their way. One that a DataNode is to read is counted here.
   *
   * @param ranges by the device; closed by this
   * @param wanted bytes of the set
   */
  static RoutedRanges of(ReadContext context, Routers routers, ExtentRanges ranges, long wanted) {
    Router router = routers.vectored(ranges.deviceIdentity(), wanted);
    // A DataNode that does not answer is no way.
    Route route = context.maps().hasSilentDataNodes() ? Route.DEVICE : router.choose();
    if (route == Route.DATANODE) {
      ranges.close(); // others may have its queue meanwhile
      context.counters().fallback(FallbackReason.DATANODE_FASTER);
    }
    return new RoutedRanges(ranges, router, route);
  }

  @Override
  public boolean isByDataNode() {
    return route == Route.DATANODE;
  }

  @Override
  public int begin(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    return ranges.begin(offset, target, at, count);
  }

  @Override
  public void submit() throws FallbackException {
    ranges.submit();
  }

  @Override
  public int underWay() {
    return ranges.underWay();
  }

  @Override
  public int complete() throws FallbackException {
    return ranges.complete();
  }

  @Override
  public void took(long bytes, long nanos) {
    end(); // the router takes what is under way for other sets
    router.sample(route, setsUnderWay, (long) ((double) nanos * Routers.UNIT / (double) bytes));
  }

  @Override
  public void dataNodeFailed(long nanos) {
    end();
    router.failed(Route.DATANODE, nanos);
  }

  /** A set by the device that failed is told of nowhere: that may be for its block alone. */
  @Override
  public void close() {
    end();
    ranges.close();
  }

  private void end() {
    if (!over) {
      over = true;
      router.end(route);
    }
  }
}
