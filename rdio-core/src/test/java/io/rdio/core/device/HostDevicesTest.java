// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.HungDevice;
import io.rdio.core.testing.MemoryDevice;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Devices that hang while somebody looks for something on all of them. */
final class HostDevicesTest {
  private static final String KEY = "the one that hangs";
  private static final Duration SHORT = Duration.ofMillis(200);

  private final HungDevice device = new HungDevice(new MemoryDevice(new byte[1 << 14], 512));
  private final AtomicInteger opened = new AtomicInteger();

  /** Or a thread of the kernel's, as it were, would stay. */
  @AfterEach
  void answer() {
    device.answer();
  }

  private BlockDevice open(HostDevices devices) throws FallbackException {
    return devices
        .open(
            KEY,
            () -> {
              opened.incrementAndGet();
              return device;
            })
        .metadata();
  }

  private static void read(BlockDevice device) throws FallbackException {
    device.read(0, ByteBuffer.allocateDirect(1024).alignedSlice(512).limit(512));
  }

  private static boolean answers(BlockDevice device) {
    try {
      read(device);
      return true;
    } catch (FallbackException e) {
      assertThat(e.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
      return false;
    }
  }

  private static void assertTimeout(Throwable thrown, String detail) {
    assertThat(thrown)
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
              assertThat(e.detail()).contains(detail);
            });
  }

  /** One that nobody has interrupted. */
  private void hangIn(BlockDevice metadata) {
    device.hang();
    assertThatThrownBy(() -> read(metadata)).satisfies(e -> assertTimeout(e, "within"));
    await().until(() -> device.waiting() == 1);
  }

  /** It may have been given up before it came to the device, on a machine that stands still. */
  private BlockDevice opened(HostDevices devices) {
    return await().ignoreException(FallbackException.class).until(() -> open(devices), d -> true);
  }

  @Test
  void oneReadThatHangsIsWaitedForOnce() {
    BlockDevice metadata = opened(new HostDevices(Map.of(), SHORT));
    hangIn(metadata);
    for (int i = 0; i < 20; i++) {
      assertThatThrownBy(() -> read(metadata)).satisfies(e -> assertTimeout(e, "still owes"));
    }
    assertThat(device.waiting()).as("threads in it").isEqualTo(1);
  }

  @Test
  void openingItAnewPutsNoOtherThreadInIt() throws Exception {
    HostDevices devices = new HostDevices(Map.of(), SHORT);
    hangIn(opened(devices));
    int before = opened.get();
    for (int i = 0; i < 20; i++) {
      assertThatThrownBy(() -> open(devices)).satisfies(e -> assertTimeout(e, "still owes"));
    }
    assertThat(opened).hasValue(before);
    assertThat(device.waiting()).as("threads in it").isEqualTo(1);

    HungDevice other = new HungDevice(new MemoryDevice(new byte[1 << 14], 512));
    BlockDevice beside =
        await()
            .ignoreException(FallbackException.class)
            .until(() -> devices.open("another", () -> other).metadata(), d -> true);
    await("the others' answers").until(() -> answers(beside));
  }

  @Test
  void itIsReadAgainWhenItHasAnsweredAndItsThreadEnds() throws Exception {
    HostDevices devices = new HostDevices(Map.of(), SHORT);
    BlockDevice metadata = opened(devices);
    hangIn(metadata);
    Thread inIt = device.threads().get(0);
    device.answer();
    await().until(() -> answers(metadata));
    BlockDevice again = opened(devices);
    await().until(() -> answers(again));
    inIt.join(TimeUnit.MINUTES.toMillis(2));
    assertThat(inIt.isAlive()).isFalse();
  }

  @Test
  void openingThatHangsIsWaitedForOnce() {
    HostDevices devices = new HostDevices(Map.of(), SHORT);
    device.hang();
    HostDevices.Opening opening =
        () -> {
          opened.incrementAndGet();
          device.requireReleased();
          return device;
        };
    assertThatThrownBy(() -> devices.open(KEY, opening)).satisfies(e -> assertTimeout(e, "within"));
    assertThatThrownBy(() -> devices.open(KEY, opening))
        .satisfies(e -> assertTimeout(e, "still owes"));
    await().until(() -> opened.get() == 1);
    device.answer();
    await()
        .ignoreException(FallbackException.class)
        .until(() -> devices.open(KEY, opening), o -> true);
  }

  /** Who reads at two places at a time, and drops the slower one, says nothing of the device. */
  @Test
  void readerWhoIsInterruptedHasNoOtherOneRefused() throws Exception {
    HostDevices devices = new HostDevices(Map.of(), Duration.ofMinutes(10));
    BlockDevice metadata = open(devices);
    device.hang();
    CompletableFuture<FallbackReason> first = new CompletableFuture<>();
    Thread interrupted = reading(metadata, first);
    await().until(() -> device.waiting() == 1);
    interrupted.interrupt();
    assertThat(first.get(2, TimeUnit.MINUTES)).isEqualTo(FallbackReason.INTERRUPTED);

    CompletableFuture<FallbackReason> second = new CompletableFuture<>();
    Thread waiting = reading(metadata, second);
    await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING || second.isDone());
    assertThat(second).isNotDone();
    device.answer();
    assertThat(second.get(2, TimeUnit.MINUTES)).as("it was served").isNull();
  }

  private static Thread reading(BlockDevice device, CompletableFuture<FallbackReason> ended) {
    Thread thread =
        new Thread(
            () -> {
              try {
                read(device);
                ended.complete(null);
              } catch (FallbackException e) {
                ended.complete(e.reason());
              }
            });
    thread.start();
    return thread;
  }
}
