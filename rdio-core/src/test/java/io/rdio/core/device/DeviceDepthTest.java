// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What depth is found on devices whose speed is known. */
class DeviceDepthTest {
  private static final int MIB = 1 << 20;
  private static final int STRETCH = 16 * MIB;
  private static final int MANY = 1000;
  private static final int TRIES = 200;

  private final DeviceDepth depth = new DeviceDepth();
  private final Random random = new Random(11);

  /** A device that is as fast as its link once so much is under way, and waits below that. */
  private static IntToDoubleFunction fullAt(int bytes) {
    return under -> Math.max(1.0, (double) bytes / under);
  }

  private void read(int stretches, int most, IntToDoubleFunction nanosPerByte) {
    for (int i = 0; i < stretches; i++) {
      int by = depth.next(most);
      assertThat(by).isBetween(Math.min(most, DeviceDepth.LEAST), most);
      depth.took(by, STRETCH, (long) (STRETCH * nanosPerByte.applyAsDouble(by)));
    }
  }

  /** Where it comes to rest, which a try of another depth interrupts. */
  private int found() {
    return depth.bytes();
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8, 16})
  void findsWhatTheDeviceNeeds(int mib) {
    read(MANY, DeviceDepth.MOST, fullAt(mib * MIB));
    assertThat(found()).isEqualTo(mib * MIB);
  }

  @Test
  void deviceThatNeedsMoreThanThereIsHasTheMost() {
    read(MANY, DeviceDepth.MOST, fullAt(64 * MIB));
    assertThat(found()).isEqualTo(DeviceDepth.MOST);
  }

  @Test
  void deviceThatNeedsLessHasTheLeast() {
    read(MANY, DeviceDepth.MOST, under -> 1 + under / 1e9);
    assertThat(found()).isEqualTo(DeviceDepth.LEAST);
  }

  @Test
  void followsADeviceThatChanges() {
    read(MANY, DeviceDepth.MOST, fullAt(16 * MIB));
    read(MANY, DeviceDepth.MOST, fullAt(4 * MIB));
    assertThat(found()).isEqualTo(4 * MIB);
    read(MANY, DeviceDepth.MOST, fullAt(8 * MIB));
    assertThat(found()).isEqualTo(8 * MIB);
  }

  @Test
  void onePauseInEightIsNoTrend() {
    assertThat(timesFound(under -> random.nextInt(8) == 0 ? 20 : 1)).isGreaterThan(TRIES * 9 / 10);
  }

  /** A quarter of the throughput to gain, on a disk that others use too. */
  @Test
  void findsWhatTheDeviceNeedsWhereItsSpeedVariesByItself() {
    assertThat(timesFound(under -> 1 + random.nextGaussian() / 8)).isGreaterThan(TRIES * 9 / 10);
  }

  /** How often a new one finds 16 MiB, below which a device takes a quarter longer. */
  private int timesFound(IntToDoubleFunction noise) {
    int times = 0;
    for (int i = 0; i < TRIES; i++) {
      DeviceDepth found = new DeviceDepth();
      for (int stretch = 0; stretch < MANY; stretch++) {
        int by = found.next(DeviceDepth.MOST);
        double nanos = by < 16 * MIB ? 1.25 : 1.0;
        found.took(by, STRETCH, (long) (STRETCH * nanos * noise.applyAsDouble(by)));
      }
      times += found.bytes() == 16 * MIB ? 1 : 0;
    }
    return times;
  }

  @Test
  void neverGivesMoreThanARunMayHave() {
    read(MANY, 2 * MIB, fullAt(16 * MIB));
    read(MANY, 100_000, fullAt(16 * MIB));
  }

  /** What a run may not have cannot be tried, but less can. */
  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void findsLessWithinABoundToo(int most) {
    read(MANY, most * MIB, fullAt(4 * MIB));
    assertThat(found()).isEqualTo(4 * MIB);
    read(MANY, most * MIB, fullAt(16 * MIB));
    assertThat(found()).isEqualTo(most * MIB);
  }

  @Test
  void triesOnADeviceThatStaysTheSameBecomeFew() {
    read(MANY, DeviceDepth.MOST, fullAt(4 * MIB));
    int tries = 0;
    for (int i = 0; i < MANY; i++) {
      int by = depth.next(DeviceDepth.MOST);
      tries += by == 4 * MIB ? 0 : 1;
      depth.took(by, STRETCH, (long) (STRETCH * fullAt(4 * MIB).applyAsDouble(by)));
    }
    assertThat(tries).isBetween(1, MANY / 40);
  }
}
