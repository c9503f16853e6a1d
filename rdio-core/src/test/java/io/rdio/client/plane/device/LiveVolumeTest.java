// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.testing.ForwardingDevice;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.Patience;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looks at a volume, and who else is served by them. */
final class LiveVolumeTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private final ManualClock clock = new ManualClock();
  private final DeviceCounters counters = new DeviceCounters();
  private PlaneImage image;

  @BeforeEach
  void open() throws Exception {
    Ext4Image.requireTools();
    image = PlaneImage.fit(directory);
  }

  @Test
  void aLookThatBeganBehindServesTwo() throws Exception {
    SlowDevice slow = new SlowDevice(image.device());
    LiveVolume shared = LiveVolume.open(slow, clock, counters);
    long looks = counters.looks.sum();
    slow.hold();
    slow.held.drainPermits();
    Thread first = looking(shared);
    slow.held.acquire();
    Thread second = looking(shared);
    Thread third = looking(shared);
    for (Thread waiting : List.of(second, third)) {
      awaitWaiting(waiting);
    }
    slow.goOn();
    for (Thread each : List.of(first, second, third)) {
      Patience.join(each);
    }
    assertThat(counters.looks.sum() - looks).as("the first began too early").isEqualTo(2);
    assertThat(counters.looksShared.sum()).isEqualTo(1);
  }

  /** Waits until it waits for another one's look. */
  private static void awaitWaiting(Thread thread) {
    await()
        .until(
            () ->
                thread.getState() == Thread.State.WAITING
                    || thread.getState() == Thread.State.TIMED_WAITING);
  }

  private static Thread looking(LiveVolume volume) {
    Thread thread =
        new Thread(
            () -> {
              try {
                volume.look();
              } catch (FallbackException e) {
                throw new AssertionError(e);
              }
            });
    thread.start();
    return thread;
  }

  /** Reads of it may be held up. */
  private static final class SlowDevice extends ForwardingDevice {
    final Semaphore held = new Semaphore(0);

    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile boolean fails;

    SlowDevice(BlockDevice device) {
      super(device);
    }

    void hold() {
      gate = new CountDownLatch(1);
    }

    void goOn() {
      gate.countDown();
    }

    @Override
    public void read(long offset, ByteBuffer target) throws FallbackException {
      held.release();
      try {
        gate.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      if (fails) {
        throw new FallbackException(FallbackReason.DEVICE_IO_ERROR, "broken");
      }
      super.read(offset, target);
    }
  }

  @Test
  void aMountThatCannotBeOpenedIsCountedOnceItCan() throws Exception {
    LiveVolume volume = LiveVolume.open(image.device(), clock, counters);
    OpenVolume before = volume.current();
    image.checkpoint();
    image.change("ssv mnt_count 77", "feature -extent");
    image.show();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(volume::look)
          .isInstanceOf(FallbackException.class)
          .hasMessageContaining("ext4 without extent");
    }
    assertThat(counters.mountsSeen.sum()).isZero();
    assertThat(volume.current()).isSameAs(before);

    image.change("feature extent");
    image.show();
    assertThat(volume.look()).isNotSameAs(before);
    assertThat(counters.mountsSeen.sum()).isEqualTo(1);
    volume.look();
    assertThat(counters.mountsSeen.sum()).isEqualTo(1);
  }

  @Test
  void aLookThatFailedServesTwo() throws Exception {
    SlowDevice slow = new SlowDevice(image.device());
    LiveVolume shared = LiveVolume.open(slow, clock, counters);
    long looks = counters.looks.sum();
    slow.hold();
    slow.held.drainPermits();
    List<FallbackException> failures = Collections.synchronizedList(new ArrayList<>());
    Thread first = failing(shared, failures);
    slow.held.acquire();
    Thread second = failing(shared, failures);
    Thread third = failing(shared, failures);
    for (Thread waiting : List.of(second, third)) {
      awaitWaiting(waiting);
    }
    slow.fails = true;
    slow.goOn();
    for (Thread each : List.of(first, second, third)) {
      Patience.join(each);
    }
    assertThat(failures)
        .extracting(FallbackException::reason)
        .containsOnly(FallbackReason.DEVICE_IO_ERROR)
        .hasSize(3);
    assertThat(counters.looks.sum() - looks).as("the first began too early").isEqualTo(2);
  }

  private static Thread failing(LiveVolume volume, List<FallbackException> failures) {
    Thread thread =
        new Thread(
            () -> {
              try {
                volume.look();
              } catch (FallbackException e) {
                failures.add(e);
              }
            });
    thread.start();
    return thread;
  }
}
