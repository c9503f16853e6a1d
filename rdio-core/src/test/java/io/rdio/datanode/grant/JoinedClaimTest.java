// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A request for a block that another one is pinning shares the pin, but not its bad luck. */
final class JoinedClaimTest {
  private static final long LONG_NANOS = 20_000_000_000L;
  private static final long SHORT_NANOS = 100_000_000L;

  @TempDir Path root;
  private GrantFixture fixture;
  private final Queue<Runnable> pinning = new ArrayDeque<>();
  private final List<Runnable> timersOfShort = new ArrayList<>();
  private final List<Runnable> timersOfLong = new ArrayList<>();
  private boolean held;

  @BeforeEach
  void start() {
    fixture = new GrantFixture(root);
    fixture.threads =
        new SameThread() {
          @Override
          public Executor pinning(Path volumeRoot) {
            return work -> {
              if (held) {
                pinning.add(work);
              } else {
                work.run();
              }
            };
          }

          @Override
          public Runnable after(long nanos, Runnable work) {
            (nanos == LONG_NANOS ? timersOfLong : timersOfShort).add(work);
            return () -> {};
          }
        };
    fixture.start(GrantFixture.CONFIG);
  }

  @AfterEach
  void resetInjector() {
    GrantFaultInjector.set(new GrantFaultInjector());
  }

  private CompletableFuture<List<GrantResult>> ask(String client, BlockKey block) {
    return ask(client, List.of(FakeHdfs.ask(block)), () -> false, LONG_NANOS);
  }

  private CompletableFuture<List<GrantResult>> ask(
      String client, List<BlockAsk> asks, BooleanSupplier cancelled, long waitNanos) {
    return fixture.service.grantLater(GrantFixture.holder(client), asks, cancelled, waitNanos);
  }

  private void goOn() {
    held = false;
    for (Runnable work = pinning.poll(); work != null; work = pinning.poll()) {
      work.run();
    }
  }

  private static void assertGranted(CompletableFuture<List<GrantResult>> answer) {
    assertThat(answer).isDone();
    assertThat(answer.join().get(0)).isInstanceOf(GrantResult.Granted.class);
  }

  private static FallbackReason reason(CompletableFuture<List<GrantResult>> answer) {
    assertThat(answer).isDone();
    return ((GrantResult.Refused) answer.join().get(0)).reason();
  }

  /** A volume of two places: "a" has one, and the other is promised to "b". */
  private void promiseThePlaceToB() {
    fixture.start(
        GrantConfig.builder()
            .leaseMillis(GrantFixture.LEASE_MILLIS)
            .maxIoMillis(GrantFixture.IO_MILLIS)
            .pinsPerVolume(2)
            .build());
    long first = fixture.lease("a", fixture.hdfs.write(1, 100));
    fixture.lease("a", fixture.hdfs.write(2, 100));
    assertThat(fixture.refusal("b", fixture.hdfs.write(3, 100)))
        .isEqualTo(FallbackReason.PIN_LIMIT);
    fixture.giveBack("a", first);
  }

  @Test
  void limitOfTheOneThatPinsIsNotTheOthers() {
    promiseThePlaceToB();
    BlockKey block = fixture.hdfs.write(4, 100);
    held = true;
    CompletableFuture<List<GrantResult>> owner = ask("a", block);
    CompletableFuture<List<GrantResult>> joiner = ask("b", block);
    goOn();

    assertThat(reason(owner)).isEqualTo(FallbackReason.PIN_LIMIT);
    assertGranted(joiner);
  }

  @Test
  void clientThatWentAwayTakesNobodyAlong() {
    BlockKey block = fixture.hdfs.write(1, 100);
    held = true;
    CompletableFuture<List<GrantResult>> owner =
        ask("a", List.of(FakeHdfs.ask(block)), () -> true, LONG_NANOS);
    CompletableFuture<List<GrantResult>> joiner = ask("b", block);
    goOn();

    assertThat(reason(owner)).isEqualTo(FallbackReason.PIN_FAILED);
    assertGranted(joiner);
    assertThat(fixture.service.leaseCount()).isEqualTo(1);
  }

  @Test
  void clientOfLittleTimeGivesUpForItselfOnly() {
    BlockKey block = fixture.hdfs.write(1, 100);
    held = true;
    CompletableFuture<List<GrantResult>> owner =
        ask("a", List.of(FakeHdfs.ask(block)), () -> false, SHORT_NANOS);
    CompletableFuture<List<GrantResult>> joiner = ask("b", block);
    timersOfShort.forEach(Runnable::run);

    assertThat(reason(owner)).isEqualTo(FallbackReason.VOLUME_STALLED);
    assertThat(joiner).isNotDone();
    goOn();
    assertGranted(joiner);
    assertThat(fixture.service.leaseCount()).isEqualTo(1);
  }

  @Test
  void secondTryEndsAtItsOwnClientsDeadline() {
    BlockKey block = fixture.hdfs.write(1, 100);
    held = true;
    BooleanSupplier gone = () -> true;
    CompletableFuture<List<GrantResult>> owner =
        ask("a", List.of(FakeHdfs.ask(block)), gone, LONG_NANOS);
    CompletableFuture<List<GrantResult>> joiner = ask("b", block);
    pinning.remove().run();
    assertThat(owner).isDone();
    assertThat(joiner).as("it claims the block itself").isNotDone();

    timersOfLong.forEach(Runnable::run);
    assertThat(reason(joiner)).isEqualTo(FallbackReason.VOLUME_STALLED);
    assertThat(fixture.service.volumes().get(0).refusal())
        .as("the volume held a second try up, too")
        .isNotNull();
    goOn();
    assertThat(fixture.links()).isEmpty();
    assertThat(fixture.service.leaseCount()).isZero();
    assertGranted(ask("c", block));
  }

  @Test
  void everyoneIsAnsweredWhereEachTryFails() {
    BlockKey block = fixture.hdfs.write(1, 100);
    held = true;
    List<CompletableFuture<List<GrantResult>>> answers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      answers.add(ask("client" + i, List.of(FakeHdfs.ask(block)), () -> true, LONG_NANOS));
    }
    goOn();

    assertThat(answers).allMatch(answer -> reason(answer) == FallbackReason.PIN_FAILED);
  }

  @Test
  void whatIsWrongWithTheBlockIsToldWithoutASecondTry() {
    BlockKey block = fixture.hdfs.write(1, 100);
    AtomicInteger looks = new AtomicInteger();
    held = true;
    CompletableFuture<List<GrantResult>> owner = ask("a", block);
    CompletableFuture<List<GrantResult>> joiner = ask("b", block);
    fixture.hdfs.beforeFind = asked -> looks.incrementAndGet();
    fixture.hdfs.withdraw(block);
    goOn();

    assertThat(reason(owner)).isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
    assertThat(reason(joiner)).isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
    assertThat(looks).hasValue(1);
  }

  /** The owner's other blocks may take their time. */
  @Test
  void othersWaitNoLongerThanForTheRefusal() {
    BlockKey refused = fixture.hdfs.write(1, 100);
    BlockKey slow = fixture.hdfs.write(2, 100);
    held = true;
    List<BlockAsk> asks = List.of(FakeHdfs.ask(refused), FakeHdfs.ask(slow));
    AtomicInteger asked = new AtomicInteger();
    BooleanSupplier goneForTheFirst = () -> asked.getAndIncrement() == 0;
    CompletableFuture<List<GrantResult>> owner = ask("a", asks, goneForTheFirst, LONG_NANOS);
    CompletableFuture<List<GrantResult>> joiner = ask("b", refused);
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void beforeLink(BlockKey block) {
            if (block.equals(slow)) {
              goOn();
              assertGranted(joiner);
            }
          }
        });
    pinning.remove().run();

    assertThat(owner).isDone();
    assertThat(owner.join().get(1)).isInstanceOf(GrantResult.Granted.class);
  }
}
