// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.fence.AgentKey;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationException.Obstacle;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.wire.SlotGrant;
import io.rdio.core.write.UnregisteredHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** When this host registers with a device, and which slots count then (W8). */
final class HostRegistrarTest {
  private static final Path NODE = Path.of("/dev/nvme1n1");
  private static final String WWID = "uuid.1";
  private static final long IO_MILLIS = 60_000;
  private static final Duration IO = Duration.ofMillis(IO_MILLIS);
  private static final DeviceIdentity DEVICE =
      new DeviceIdentity("ext4", new UUID(1, 2), 1L << 30, WWID, 0, "/dev/nvme0n1");

  private final ManualClock clock = new ManualClock();
  private final FakeRegistration registration = new FakeRegistration();
  private final Leases leases = new Leases();
  private final HostRegistrar registrar =
      new HostRegistrar(registration, clock, Duration.ofMillis(200), 42);

  private static final class Leases implements HostRegistrar.Leases {
    final List<String> lost = new ArrayList<>();
    boolean quiet = true;

    @Override
    public void lose(String wwid, String why) {
      lost.add(wwid);
    }

    @Override
    public boolean areQuiet(String wwid) {
      return quiet;
    }
  }

  private static SlotGrant grant(boolean fenced) {
    return new SlotGrant(
        1,
        2,
        30_000,
        IO_MILLIS,
        new BlockKey("BP-1", 1, 1001),
        DEVICE,
        "DS-1",
        ExtentList.of(new long[] {4096}, new long[] {1 << 20}),
        3,
        4,
        4096,
        fenced);
  }

  private static UnregisteredHostException need() {
    return new UnregisteredHostException(DEVICE, IO_MILLIS, "refused");
  }

  /** The process runs, without a pause. */
  private void run(Duration time) {
    long end = clock.nanos() + time.toNanos();
    while (end - clock.nanos() > 0) {
      clock.advance(AwakeTime.STEP);
      registrar.countAwake();
    }
  }

  private void register() throws FallbackException {
    registrar.register(NODE, need(), registrar.registrations(), leases);
  }

  private static FallbackException refusal(ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal;
  }

  private void isRefused(String why) {
    isRefused(need(), why);
  }

  private void isRefused(UnregisteredHostException need, String why) {
    FallbackException refusal =
        refusal(() -> registrar.register(NODE, need, registrar.registrations(), leases));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.WRITE_UNFENCED);
    assertThat(refusal.detail()).contains("refused").contains(why);
  }

  /** What a process has to wait for that was not asked to register before. */
  private void settle() {
    isRefused("it registers in 60 s");
    run(IO);
  }

  private void isVoid(long asked) {
    assertThat(refusal(() -> registrar.requireOf(grant(true), asked)))
        .isInstanceOfSatisfying(
            UnregisteredHostException.class,
            e -> {
              assertThat(e.device()).isEqualTo(DEVICE);
              assertThat(e.ioMillis()).isEqualTo(IO_MILLIS);
            });
  }

  /** An earlier process of this host may have writes under way. */
  @Test
  void newProcessWaitsUntilNothingOfAnEarlierOneCanCome() throws Exception {
    isRefused("it registers in 60 s");
    run(IO.minus(AwakeTime.STEP));
    isRefused("it registers in 1 s");
    assertThat(registration.used).isEmpty();

    run(AwakeTime.STEP);
    register();

    assertThat(registration.keys).containsKey(WWID);
    assertThat(registration.used).containsExactly(AgentKey.next(registrar.name()));
    registrar.requireOf(grant(true), registrar.registrations());
  }

  @Test
  void hostIsRegisteredByOneProcessAtATime() {
    registration.claimed = new ReservationException(Obstacle.CONFLICT, "process 7; fix: end it");

    isRefused("process 7; fix: end it");

    assertThat(registration.used).isEmpty();
  }

  /** What it has sent is over when it ends, or I later; this process may run for long by then. */
  @Test
  void processThatTakesOverWaitsFromThenOn() throws Exception {
    registration.claimed = new ReservationException(Obstacle.CONFLICT, "process 7");
    registrar.unsure(grant(true));
    run(IO);
    isRefused("process 7");
    registration.claimed = null;

    isRefused("it registers in 60 s");

    run(IO);
    register();
  }

  /** Nothing that the kernel sends again has had its time then. */
  @Test
  void machineThatStoodStillWaitsAllTheSame() throws Exception {
    isRefused("it registers in 60 s");
    run(Duration.ofSeconds(10));
    clock.advance(Duration.ofDays(1));
    registrar.countAwake();
    isRefused("it registers in 49 s");
    run(Duration.ofSeconds(49));
    register();
  }

  @Test
  void whereNobodyDemandsItNothingIsDone() throws Exception {
    registrar.requireOf(grant(false), 0);
    registrar.lost(grant(false));
    assertThat(registration.used).isEmpty();
  }

  /** KEEP_ANSWERS in the model. */
  @Test
  void slotsThatWereAskedForBeforeAreVoid() throws Exception {
    settle();
    long before = registrar.registrations();
    isVoid(before);
    register();

    isVoid(before);
    registrar.requireOf(grant(true), registrar.registrations());
  }

  /** EAGER_REGISTER in the model. */
  @Test
  void hostThatWasShutOutRegistersByANewKeyWhenItIsQuiet() throws Exception {
    settle();
    register();
    long asked = registrar.registrations();
    registration.keys.remove(WWID);
    leases.quiet = false;

    isRefused("when its blocks of before are over");

    assertThat(leases.lost).containsExactly(WWID);
    isVoid(asked);
    assertThat(registration.used).hasSize(1);
    leases.quiet = true;
    register();
    assertThat(registration.used).hasSize(2).doesNotHaveDuplicates();
    assertThat(registration.keys).containsEntry(WWID, registration.used.get(1));
    isVoid(asked);
    registrar.requireOf(grant(true), registrar.registrations());
  }

  /** Its DataNode would shut it out by its present key: it gets another one before. */
  @Test
  void hostThatHasLostALeaseRegistersAnewBeforeItIsShutOut() throws Exception {
    settle();
    register();
    long asked = registrar.registrations();
    run(Duration.ofMinutes(10));

    registrar.lost(grant(true));

    isVoid(asked);
    isRefused("it registers in 60 s");
    assertThat(leases.lost).as("other leases of it go on").isEmpty();
    run(IO);
    register();
    assertThat(registration.used).hasSize(2);
    registrar.requireOf(grant(true), registrar.registrations());
  }

  /** Of a slot that it does not know of, say: the answer was lost. */
  @Test
  void hostThatIsToBeShutOutRegistersByAnotherKeyWhenItsBlocksAreOver() throws Exception {
    settle();
    register();
    long asked = registrar.registrations();
    UnregisteredHostException doomed =
        new UnregisteredHostException(DEVICE, IO_MILLIS, registration.used.get(0), "refused");
    leases.quiet = false;

    isRefused(doomed, "when its blocks of before are over");

    assertThat(leases.lost).as("they go on").isEmpty();
    isVoid(asked);
    leases.quiet = true;
    run(Duration.ofSeconds(10));
    isRefused(doomed, "it registers in 50 s");
    run(Duration.ofSeconds(50));
    registrar.register(NODE, doomed, registrar.registrations(), leases);
    assertThat(registration.used).hasSize(2).doesNotHaveDuplicates();
    registrar.requireOf(grant(true), registrar.registrations());
    isRefused(doomed, "the device shows it registered by 0x5244");
  }

  @Test
  void writeThatFailedMayComeYet() throws Exception {
    settle();
    registrar.unsure(grant(true));
    isRefused("it registers in 60 s");
    run(IO);
    register();
  }

  @Test
  void whatItsDataNodeDoesNotSeeIsNotMendedByAnotherKey() throws Exception {
    settle();
    register();
    isRefused("the device shows it registered by 0x5244");
    assertThat(registration.used).hasSize(1);
  }

  @Test
  void deviceThatRegistersNobodyIsNotWrittenTo() throws Exception {
    settle();
    registration.refusal = new ReservationException(Obstacle.DENIED, "not permitted; fix: be root");
    isRefused("fix: be root");
    registration.refusal = null;
    register();
    assertThat(registration.used).as("a key is used once").doesNotContain(registrar.name() + 1);
  }

  /** By the time that it was found out another thread had registered it. */
  @Test
  void onlyOneOfSeveralThreadsRegisters() throws Exception {
    settle();
    long asked = registrar.registrations();
    register();
    registrar.register(NODE, need(), asked, leases);
    assertThat(registration.used).hasSize(1);
  }

  @Test
  void whoWaitsForAHungDeviceGivesUp() throws Exception {
    settle();
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    registration.inRegister =
        () -> {
          hangs.countDown();
          awaitFor(goesOn);
        };
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      Future<?> first =
          other.submit(
              () -> {
                register();
                return true;
              });
      assertThat(hangs.await(1, TimeUnit.MINUTES)).isTrue();

      assertThat(refusal(this::register).reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);

      goesOn.countDown();
      first.get(1, TimeUnit.MINUTES);
      registrar.requireOf(grant(true), registrar.registrations());
    } finally {
      goesOn.countDown();
      other.shutdownNow();
    }
  }

  private static void awaitFor(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
