// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.device.DeviceDepth;
import org.junit.jupiter.api.Test;

/** What of a run counts as a stretch with a depth. */
class RunDepthTest {
  private static final int MIB = 1 << 20;
  private static final int PIECE = 1 << 18;

  private final DeviceDepth device = new DeviceDepth();
  private final RunDepth run = new RunDepth();
  private long nanos = 1_000_000_000L;

  /** Reads in order; the device is full from so many bytes under way on. */
  private void read(long from, long to, int fullAt) {
    for (long at = from; at < to; at += PIECE) {
      int depth = run.bytes(device, DeviceDepth.MOST);
      nanos += (long) (PIECE * Math.max(1.0, (double) fullAt / depth));
      run.movedTo(at, depth - PIECE, nanos);
    }
  }

  @Test
  void depthGrowsToWhatTheDeviceNeeds() {
    for (int block = 0; block < 200; block++) {
      read(0, 128 * MIB, 16 * MIB);
      run.end();
    }
    assertThat(device.bytes()).isEqualTo(DeviceDepth.MOST);
  }

  @Test
  void runThatNeverHasItsDepthSaysNothing() {
    for (int at = 0; at < 2000; at++) {
      int depth = run.bytes(device, DeviceDepth.MOST);
      nanos += (long) depth << 4;
      run.movedTo((long) at * MIB, depth / 2 - 1, nanos);
    }
    assertThat(device.bytes()).isEqualTo(DeviceDepth.USUAL);
  }

  /** With the pauses counted each depth would seem as slow as any other, and the least would do. */
  @Test
  void readerThatGoesElsewhereBeginsAnew() {
    for (int block = 0; block < 200; block++) {
      read(0, 128 * MIB, 4 * MIB);
      nanos += 1_000_000_000L;
      run.movedTo(0, 0, nanos);
    }
    assertThat(device.bytes()).isEqualTo(4 * MIB);
  }

  @Test
  void configuredBoundHolds() {
    assertThat(run.bytes(new DeviceDepth(), MIB / 2)).isEqualTo(MIB / 2);
    assertThat(run.bytes(new DeviceDepth(), 2 * MIB)).isEqualTo(2 * MIB);
    assertThat(run.bytes(new DeviceDepth(), 8 * MIB)).isEqualTo(DeviceDepth.USUAL);
  }
}
