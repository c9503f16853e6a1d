// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
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
  private final Reader reader = new Reader(depth);
  private long now = Long.MAX_VALUE - 1; // wraps round, as it may

  /** A run, and what it is told. */
  private final class Reader {
    final DeviceDepth of;
    final DeviceDepth.Run run = new DeviceDepth.Run();
    int by;

    Reader(DeviceDepth of) {
      this.of = of;
    }

    /** Joins the device, and is told what to read with. */
    Reader begin(int most) {
      of.join(run, now);
      by = of.next(run, most, now);
      return this;
    }

    /** Reads one stretch. */
    void read(int most, IntToDoubleFunction nanosPerByte) {
      assertThat(by).isBetween(Math.min(most, DeviceDepth.LEAST), most);
      long nanos = (long) (STRETCH * nanosPerByte.applyAsDouble(by));
      now += nanos;
      run.movedOn(now);
      of.took(run, by, STRETCH, nanos, now);
      by = of.next(run, most, now);
    }
  }

  /** A device that is as fast as its link once so much is under way, and waits below that. */
  private static IntToDoubleFunction fullAt(int bytes) {
    return under -> Math.max(1.0, (double) bytes / under);
  }

  /** By one run alone. */
  private void read(int stretches, int most, IntToDoubleFunction nanosPerByte) {
    reader.begin(most);
    for (int i = 0; i < stretches; i++) {
      reader.read(most, nanosPerByte);
    }
    depth.leave(reader.run);
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
      Reader one = new Reader(found).begin(DeviceDepth.MOST);
      for (int stretch = 0; stretch < MANY; stretch++) {
        one.read(
            DeviceDepth.MOST,
            by -> (by < 16 * MIB ? 1.25 : 1.0) * Math.max(0.1, noise.applyAsDouble(by)));
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
    reader.begin(DeviceDepth.MOST);
    int tries = 0;
    for (int i = 0; i < MANY; i++) {
      tries += reader.by == 4 * MIB ? 0 : 1;
      reader.read(DeviceDepth.MOST, fullAt(4 * MIB));
    }
    assertThat(tries).isBetween(1, MANY / 40);
  }

  /** One is faster than the other: its bytes lie further outside, or its thread is alone. */
  @Test
  void thatOneRunIsFasterThanAnotherSaysNothingOfTheDepth() {
    for (double faster : new double[] {0.5, 0.9, 0.99, 1, 1.1, 2}) {
      DeviceDepth shared = new DeviceDepth();
      Reader one = new Reader(shared).begin(DeviceDepth.MOST);
      Reader other = new Reader(shared).begin(DeviceDepth.MOST);
      for (int i = 0; i < MANY; i++) {
        one.read(DeviceDepth.MOST, under -> 1.0);
        other.read(DeviceDepth.MOST, under -> faster);
      }
      assertThat(shared.bytes()).as("%s × as fast", faster).isEqualTo(DeviceDepth.USUAL);
    }
  }

  /** Beside another run, who has more under way has more of a device that is full with less. */
  @Test
  void aLargerShareOfTheDeviceIsNoGain() {
    Reader other = new Reader(depth).begin(DeviceDepth.MOST);
    reader.begin(DeviceDepth.MOST);
    for (int i = 0; i < MANY; i++) {
      reader.read(DeviceDepth.MOST, under -> (double) (under + other.by) / under);
      other.read(DeviceDepth.MOST, under -> (double) (under + reader.by) / under);
    }
    assertThat(depth.bytes()).isEqualTo(DeviceDepth.USUAL);
  }

  @Test
  void runsHaveTheDepthTogether() {
    read(MANY, DeviceDepth.MOST, fullAt(16 * MIB));
    int[] shares = {16 * MIB, 8 * MIB, 16 * MIB / 3, 4 * MIB, 4 * MIB};
    List<Reader> readers = new ArrayList<>();
    for (int share : shares) {
      assertThat(depth.first(DeviceDepth.MOST)).isEqualTo(share);
      readers.add(new Reader(depth).begin(DeviceDepth.MOST));
      if (readers.size() > 1) { // one alone may try another depth
        assertEachHas(readers, share);
      }
    }
    while (readers.size() > 2) {
      depth.leave(readers.remove(random.nextInt(readers.size())).run);
      assertEachHas(readers, shares[readers.size() - 1]);
    }
  }

  /** From its next stretch on. */
  private static void assertEachHas(List<Reader> readers, int share) {
    for (Reader each : readers) {
      each.read(DeviceDepth.MOST, under -> 1.0);
      assertThat(each.by).isEqualTo(share);
    }
  }

  @Test
  void runWhoseReaderWaitsHasNoShare() {
    new Reader(depth).begin(DeviceDepth.MOST);
    reader.begin(DeviceDepth.MOST);
    assertThat(reader.by).isEqualTo(DeviceDepth.USUAL / 2);
    now += DeviceDepth.IDLE_NANOS;
    reader.read(DeviceDepth.MOST, under -> 1.0);
    assertThat(reader.by).isEqualTo(DeviceDepth.USUAL);
  }

  /** So what was measured on either side of that is not compared. */
  @Test
  void pairsInWhichAnotherRunWasThereAreNoVotes() {
    reader.begin(DeviceDepth.MOST);
    Reader other = new Reader(depth);
    for (int i = 0; i < MANY; i++) {
      reader.read(DeviceDepth.MOST, fullAt(16 * MIB));
      other.begin(DeviceDepth.MOST);
      depth.leave(other.run);
    }
    assertThat(depth.bytes()).isEqualTo(DeviceDepth.USUAL);
  }

  @Test
  void votesOfRunsThatFollowEachOtherCountTogether() {
    int pair = 2;
    for (int i = 0; i < DeviceDepth.REST + DeviceDepth.PAIRS; i++) {
      read(pair, DeviceDepth.MOST, fullAt(16 * MIB));
    }
    assertThat(depth.bytes()).isEqualTo(16 * MIB);
  }
}
