// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.core.testing.Patience.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.core.wire.SlotGrant;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which devices are open for writing, and who waits while one is closed. */
@Timeout(60)
final class SlotDevicesTest {
  private final ManualClock clock = new ManualClock();
  private final Set<Device> openNow = ConcurrentHashMap.newKeySet();
  private final Set<String> closing = ConcurrentHashMap.newKeySet();
  private final CountDownLatch answers = new CountDownLatch(1);

  /** The name of devices whose close is not answered yet. */
  private volatile String slow = "";

  /** How many this process can have open. */
  private volatile int most = Integer.MAX_VALUE;

  /** Whether this process can start no thread. */
  private volatile boolean hasNoThreads;

  /** Why none is opened; null: they are. */
  private volatile @Nullable FallbackReason refusal;

  private final SlotDevices devices =
      new SlotDevices(
          new Nodes(),
          new SlotDevices.Host(
              this::open, (node, millis) -> {}, new FakeRegistration(), this::closeOnAThread),
          clock,
          WritersFixture.DEVICE_TIMEOUT);

  /** A host that has a node for each device, of its name. */
  private static final class Nodes extends NoDevices {
    @Override
    public DevicePlace place(DeviceIdentity identity) {
      return new DevicePlace(Path.of("/dev", identity.name()), 0);
    }
  }

  /** One that is open, on which nothing is written. */
  private final class Device implements SlotDevice {
    private final String name;

    Device(String name) {
      this.name = name;
    }

    @Override
    public SlotLease lease(ExtentList extents, int unit, long deadlineNanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int flush() {
      return 0;
    }

    @Override
    public void close() {
      if (name.equals(slow)) {
        closing.add(name);
        awaitAnswers();
      }
      openNow.remove(this);
    }
  }

  private void closeOnAThread(Runnable close) {
    if (hasNoThreads) {
      throw new OutOfMemoryError("by the test: no thread");
    }
    DaemonThreads.daemon("close", close).start();
  }

  private void awaitAnswers() {
    try {
      assertThat(answers.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private SlotDevice open(DevicePlace place, DeviceIdentity identity) throws FallbackException {
    FallbackReason no = refusal;
    if (no != null || openNow.size() >= most) {
      throw new FallbackException(
          no != null ? no : FallbackReason.AGENT_BUSY, place.node().toString());
    }
    Device device = new Device(identity.name());
    openNow.add(device);
    return device;
  }

  @AfterEach
  void close() {
    answers.countDown();
    devices.close();
  }

  private static DeviceIdentity identity(String name) {
    return new DeviceIdentity(
        "ext4", UUID.nameUUIDFromBytes(name.getBytes(US_ASCII)), 1L << 20, "uuid." + name, 0, name);
  }

  private SharedDevice take(String name) throws FallbackException {
    int unit = WritersFixture.UNIT;
    return devices.take(
        new SlotGrant(
            1,
            1,
            30_000,
            60_000,
            WritersFixture.block(1),
            identity(name),
            "DS-1",
            ExtentList.of(new long[] {0}, new long[] {unit}),
            1,
            1,
            unit,
            false));
  }

  private List<String> namesOpen() {
    return openNow.stream().map(device -> device.name).sorted().toList();
  }

  /** Called by the thread that renews leases. */
  @Test
  void idleDeviceThatIsSlowlyClosedKeepsNobodyWaiting() throws Exception {
    slow = "a";
    take("a").giveBack();
    SharedDevice other = take("b");
    clock.advance(SlotDevices.IDLE);
    devices.closeIdle();
    await().until(() -> closing.contains("a"));

    other.giveBack();
    take("c").giveBack();
    clock.advance(SlotDevices.IDLE);
    devices.closeIdle();
    await().until(() -> namesOpen().equals(List.of("a")));
    answers.countDown();
    await().until(openNow::isEmpty);
  }

  /** By the thread that ends leases, for one. */
  @Test
  void whoGivesADeviceBackDoesNotWaitUntilItIsClosed() throws Exception {
    slow = "a";
    SharedDevice device = take("a");
    devices.failed(identity("a"), device);
    device.giveBack();
    await().until(() -> closing.contains("a"));

    take("a").giveBack();
    assertThat(namesOpen()).as("opened anew").containsExactly("a", "a");
  }

  @Test
  void deviceThatIsNotClosedInTimeTakesNoFurtherUser() throws Exception {
    slow = "a";
    SharedDevice device = take("a");
    devices.failed(identity("a"), device);
    device.giveBack();
    await().until(() -> closing.contains("a"));
    clock.advance(WritersFixture.DEVICE_TIMEOUT.plusNanos(1));

    assertThat(WritersFixture.reasonOf(() -> take("a"))).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    take("b").giveBack();
    answers.countDown();
    await().until(() -> namesOpen().equals(List.of("b")));
    await().ignoreExceptions().until(() -> isTaken("a"));
  }

  private boolean isTaken(String name) throws FallbackException {
    take(name).giveBack();
    return true;
  }

  /** As in a cluster that has more volumes, all of which an agent writes to. */
  @Test
  void moreDevicesThanCanBeOpenAreWrittenToInTurn() throws Exception {
    most = 64;
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 200; i++) {
        take("d" + i).giveBack();
        clock.advance(Duration.ofMillis(1));
        assertThat(openNow).hasSizeLessThanOrEqualTo(64);
      }
    }
    assertThat(namesOpen()).contains("d136", "d199").doesNotContain("d135");
  }

  @Test
  void thatWhichIsIdleForLongestGivesWay() throws Exception {
    most = 3;
    SharedDevice used = take("a");
    take("b").giveBack();
    take("c").giveBack();
    clock.advance(Duration.ofSeconds(1));
    take("b").giveBack();

    take("d").giveBack();
    assertThat(namesOpen()).containsExactly("a", "b", "d");
    take("b").giveBack();
    take("a").giveBack();
    assertThat(namesOpen()).containsExactly("a", "b", "d");
    used.giveBack();
  }

  /** A stranger's device that hangs is not waited for. */
  @Test
  void whereTheIdlestIsSlowlyClosedTheNextOneGivesWay() throws Exception {
    most = 2;
    slow = "a";
    take("a").giveBack();
    clock.advance(Duration.ofSeconds(1));
    take("b").giveBack();

    take("c").giveBack();
    assertThat(namesOpen()).containsExactly("a", "c");
    await().until(() -> closing.contains("a"));
  }

  @Test
  void whereAllIdleOnesAreSlowlyClosedThereIsNoRoom() throws Exception {
    most = 1;
    slow = "a";
    take("a").giveBack();

    assertThat(WritersFixture.reasonOf(() -> take("b"))).isEqualTo(FallbackReason.AGENT_BUSY);
    answers.countDown();
    await().until(openNow::isEmpty);
    take("b").giveBack();
  }

  @Test
  void deviceIsClosedLaterWhereNoThreadCouldBeStarted() throws Exception {
    SharedDevice device = take("a");
    hasNoThreads = true;
    devices.failed(identity("a"), device);
    assertThatThrownBy(device::giveBack).isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(devices::closeIdle).isInstanceOf(OutOfMemoryError.class);
    assertThat(namesOpen()).containsExactly("a");

    hasNoThreads = false;
    take("a").giveBack();
    devices.closeIdle();
    await().until(() -> openNow.size() == 1);
  }

  /** An agent that is stopped is not kept by a device that hangs. */
  @Test
  void slowCloseIsNotWaitedForAtTheEnd() throws Exception {
    slow = "a";
    take("a").giveBack();
    take("b").giveBack();

    devices.close();
    assertThat(closing).containsExactly("a");
    await().until(() -> namesOpen().equals(List.of("a")));
  }

  @Test
  void noneGivesWayThatHasALease() throws Exception {
    most = 2;
    SharedDevice first = take("a");
    SharedDevice second = take("b");

    assertThat(WritersFixture.reasonOf(() -> take("c"))).isEqualTo(FallbackReason.AGENT_BUSY);
    assertThat(namesOpen()).containsExactly("a", "b");
    take("a").giveBack(); // as ever
    second.giveBack();
    take("c").giveBack();
    assertThat(namesOpen()).containsExactly("a", "c");
    first.giveBack();
  }

  @Test
  void noneGivesWayWhereThatDoesNotHelp() throws Exception {
    take("a").giveBack();
    refusal = FallbackReason.DEVICE_PERMISSION;
    assertThat(WritersFixture.reasonOf(() -> take("b")))
        .isEqualTo(FallbackReason.DEVICE_PERMISSION);
    assertThat(namesOpen()).containsExactly("a");

    refusal = FallbackReason.AGENT_BUSY; // whatever is closed
    assertThat(WritersFixture.reasonOf(() -> take("b"))).isEqualTo(FallbackReason.AGENT_BUSY);
    refusal = null;
    take("b").giveBack();
  }

  @Test
  void allAreClosedBehindTheEnd() throws Exception {
    take("a").giveBack();
    SharedDevice used = take("b");

    devices.close();
    assertThat(namesOpen()).containsExactly("b");
    assertThat(WritersFixture.reasonOf(() -> take("a")))
        .isEqualTo(FallbackReason.AGENT_UNAVAILABLE);
    used.giveBack();
    await().until(openNow::isEmpty);
  }
}
