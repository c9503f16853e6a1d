// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.Guard;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.time.MonotonicClock;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A guard without lease and witness: it looks at the device itself each time that it is asked, and
 * refuses when it is told to.
 */
public final class FakeGuard implements Guard {
  /** What it was asked, in order. */
  public final List<String> asked = new CopyOnWriteArrayList<>();

  private volatile boolean failed;
  private volatile boolean admits = true;
  private volatile boolean refusesBefore;
  private volatile boolean refusesAfter;

  /** Lets every run of I/O begin, and disowns it when it is over. */
  public static FakeGuard refusingAfter() {
    FakeGuard guard = new FakeGuard();
    guard.refusesAfter = true;
    return guard;
  }

  /** Seems to hold until it is asked for good: so it may be looked at in the wrong moment. */
  public static FakeGuard refusingBefore() {
    FakeGuard guard = new FakeGuard();
    guard.refusesBefore = true;
    return guard;
  }

  /** Fails from now on. */
  public void fail() {
    failed = true;
  }

  /** Admits nobody new from now on. */
  public void admitNobody() {
    admits = false;
  }

  @Override
  public BlockDevice resolve(FileMap map, DeviceDirectory devices) throws FallbackException {
    return devices.resolve(map.device());
  }

  @Override
  public void before(FileMap map, BlockDevice device, long nowNanos) throws FallbackException {
    failed |= refusesBefore;
    look("before", device);
  }

  @Override
  public void after(FileMap map, BlockDevice device, MonotonicClock clock)
      throws FallbackException {
    failed |= refusesAfter;
    look("after", device);
  }

  private void look(String when, BlockDevice device) throws FallbackException {
    asked.add(when);
    int sector = device.alignment();
    device.read(0, ByteBuffer.allocateDirect(2 * sector).alignedSlice(sector).limit(sector));
    if (failed) {
      throw new FallbackException(FallbackReason.LEASE_EXPIRED, when + " the read");
    }
  }

  @Override
  public boolean isValid(long nowNanos) {
    return !failed;
  }

  @Override
  public boolean admits(long nowNanos) {
    return admits && !failed;
  }

  @Override
  public long remainingNanos(long nowNanos) {
    return failed ? -1 : Long.MAX_VALUE;
  }

  @Override
  public void touch(long nowNanos) {}

  @Override
  public int heapBytes() {
    return 0;
  }
}
