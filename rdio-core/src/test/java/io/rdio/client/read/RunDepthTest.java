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
  private final RunDepth other = new RunDepth();
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

  /** Reads two blocks, turn and turn about; the one run is slower than the other. */
  private void readBoth(int length, double slower) {
    for (int at = 0; at < length; at += PIECE) {
      nanos += PIECE;
      run.movedTo(at, run.bytes(device, DeviceDepth.MOST) - PIECE, nanos);
      nanos += (long) (PIECE * slower);
      other.movedTo(at, other.bytes(device, DeviceDepth.MOST) - PIECE, nanos);
    }
  }

  @Test
  void ofTwoRunsNeitherIsReasonForAnotherDepth() {
    for (double slower : new double[] {0.5, 0.9, 1, 1.1, 2}) {
      for (int block = 0; block < 100; block++) {
        readBoth(128 * MIB, slower);
        run.end();
        other.end();
      }
      assertThat(device.bytes()).isEqualTo(DeviceDepth.USUAL);
    }
  }

  @Test
  void twoRunsHaveTheDepthTogether() {
    readBoth(128 * MIB, 1);
    assertThat(run.bytes(device, DeviceDepth.MOST)).isEqualTo(DeviceDepth.USUAL / 2);
    assertThat(other.bytes(device, DeviceDepth.MOST)).isEqualTo(DeviceDepth.USUAL / 2);
    other.end();
    read(128 * MIB, 256 * MIB, 8 * MIB);
    assertThat(run.bytes(device, DeviceDepth.MOST)).isEqualTo(DeviceDepth.USUAL);
  }

  /** Thousands of short files leave a long run all of the device. */
  @Test
  void shortRunsHaveNoShare() {
    for (int i = 0; i < 100; i++) {
      RunDepth small = new RunDepth();
      small.bytes(device, DeviceDepth.MOST);
      for (int at = 0; at < DeviceDepth.LEAST; at += PIECE) {
        small.movedTo(at, MIB, nanos);
      }
    }
    read(0, 64 * MIB, 8 * MIB);
    assertThat(run.bytes(device, DeviceDepth.MOST)).isEqualTo(DeviceDepth.USUAL);
  }

  @Test
  void endedRunHasNoShare() {
    for (int i = 0; i < 100; i++) {
      read(0, 8 * MIB, 8 * MIB);
      run.end();
      assertThat(device.first(DeviceDepth.MOST)).isEqualTo(DeviceDepth.USUAL);
    }
    run.end();
    assertThat(device.first(DeviceDepth.MOST)).isEqualTo(DeviceDepth.USUAL);
  }
}
