// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.client.write.SummedStripes.ALL;
import static io.rdio.client.write.SummedStripes.CELL;
import static io.rdio.client.write.SummedStripes.DATA;
import static io.rdio.client.write.SummedStripes.STRIPE;
import static io.rdio.client.write.SummedStripes.UNITS;
import static io.rdio.client.write.SummedStripes.passed;
import static io.rdio.client.write.SummedStripes.refusal;
import static io.rdio.client.write.SummedStripes.writeInPieces;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A device under one block of a group does not answer: the others go on, and what it may read from
 * is nobody's until it does.
 */
@Timeout(180)
final class SilentStripesTest {
  /** Short, for only the silent one is waited for: the others have answered before. */
  private static final Duration TIMEOUT = Duration.ofMillis(20);

  private final CountDownLatch answers = new CountDownLatch(1);
  private SummedStripes fixture = SummedStripes.withMuchMemory(TIMEOUT);

  @AfterEach
  void close() {
    answers.countDown();
    fixture.close();
  }

  private void useLittleMemory() {
    fixture.close();
    fixture = SummedStripes.withLittleMemory(TIMEOUT);
  }

  /** Has others do what it is given, and waits for that, unless a device hangs in it. */
  private final class Aside implements Executor {
    private static final ThreadLocal<CountDownLatch> LEFT = new ThreadLocal<>();

    @Override
    public void execute(Runnable work) {
      CountDownLatch left = new CountDownLatch(1);
      fixture.threads.execute(
          () -> {
            LEFT.set(left);
            try {
              work.run();
            } finally {
              left.countDown();
            }
          });
      passed(left);
    }

    /** The thread that does this is not waited for any more. */
    static void leave() {
      LEFT.get().countDown();
    }
  }

  private StripedWriter open(ParityMode mode) throws FallbackException {
    return fixture.open(mode, "xor", new Aside());
  }

  private void hang() {
    Aside.leave();
    passed(answers);
  }

  private void hangInWrites(int unit) {
    fixture.nodes.get(unit).open(0).inWrite = this::hang;
  }

  private MemorySlotDevice.Lease lease(int unit) {
    FakeDataNode node = fixture.nodes.get(unit);
    return node.leaseOn(node.lent.get(0));
  }

  /** It answers: its block is given up, and its memory back. */
  private void answer(int unit) {
    FakeDataNode silent = fixture.nodes.get(unit);
    assertThat(silent.aborted).isEmpty();
    answers.countDown();
    await()
        .until(
            () -> {
              fixture.writers.tend();
              return silent.aborted.size() == 1;
            });
    assertThat(silent.aborted.get(0).quiet()).isTrue();
    assertThat(silent.commits).as("what it wrote late is no block").isEmpty();
    await().until(() -> fixture.memory.lent() == 0);
  }

  private void requireOthers(ByteBuffer content, int lost) {
    for (int unit = 0; unit < UNITS; unit++) {
      if (unit != lost) {
        fixture.requireBlock(content, unit);
      }
    }
  }

  private static long but(int unit) {
    return ALL & ~(1L << unit);
  }

  static Stream<Arguments> unitsAndModes() {
    return Stream.of(ParityMode.values())
        .flatMap(mode -> Stream.of(0, 1, 2, 3, 4).map(unit -> Arguments.of(mode, unit)));
  }

  @ParameterizedTest
  @MethodSource("unitsAndModes")
  void othersGoOnAndAreCommitted(ParityMode mode, int silent) throws Exception {
    ByteBuffer content = StripesFixture.content(6 * STRIPE + 9, 7);
    try (StripedWriter writer = open(mode)) {
      StripesFixture.write(writer, content, 0, 2 * STRIPE);
      hangInWrites(silent);
      StripesFixture.write(writer, content, 2 * STRIPE, content.limit());
      assertThat(writer.alive()).isEqualTo(but(silent));
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(but(silent));
      assertThat(fixture.backlog.groups()).as("it is immediate then").isZero();
    }
    requireOthers(content, silent);
    answer(silent);
  }

  /** Other stripes are written meanwhile, and the group ends. */
  @ParameterizedTest
  @EnumSource
  void whatItReadsLateIsWhatWasToBeWritten(ParityMode mode) throws Exception {
    ByteBuffer content = StripesFixture.content(6 * STRIPE, 8);
    try (StripedWriter writer = open(mode)) {
      hangInWrites(1);
      StripesFixture.write(writer, content, 0, content.limit());
    }
    assertThat(fixture.memory.lent()).isEqualTo(Stripe.bytesOf(fixture.layout));
    answer(1);
    assertThat(fixture.written(1, CELL))
        .isEqualTo(Arrays.copyOf(fixture.expected(content, 1), CELL));
  }

  @Test
  void stripeThatIsNotFullIsNobodysEither() throws Exception {
    ByteBuffer content = StripesFixture.content(STRIPE, 9);
    try (StripedWriter writer = open(ParityMode.DEFERRED)) {
      hangInWrites(0);
      StripesFixture.write(writer, content, 0, CELL + 4096);
    }
    assertThat(fixture.memory.lent()).isEqualTo(Stripe.bytesOf(fixture.layout));
    answer(0);
    assertThat(fixture.written(0, CELL))
        .isEqualTo(Arrays.copyOf(fixture.expected(content, 0), CELL));
  }

  /** Ended before, the lease could not be renewed, and the timer would kill this process. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void leaseIsRenewedUntilItAnswersAndEndedThen(boolean byWaiting) throws Exception {
    ByteBuffer content = StripesFixture.content(3 * STRIPE, 10);
    FakeDataNode silent = fixture.nodes.get(DATA);
    try (StripedWriter writer = open(ParityMode.IMMEDIATE)) {
      hangInWrites(DATA);
      silent.open(0).writesByWaiting = byWaiting;
      StripesFixture.write(writer, content, 0, content.limit());
    }
    fixture.writers.run(Duration.ofMinutes(3));
    assertThat(lease(DATA).end).isNull();
    assertThat(silent.renewals.size()).isGreaterThan(6);
    answer(DATA);
  }

  /** That of deferred parity as well, whose group is committed by then. */
  @ParameterizedTest
  @MethodSource("unitsAndModes")
  void flushThatIsNotAnsweredCostsItsBlockAlone(ParityMode mode, int silent) throws Exception {
    ByteBuffer content = StripesFixture.content(2 * STRIPE, 11);
    boolean isLeft = mode == ParityMode.DEFERRED && silent >= DATA;
    try (StripedWriter writer = open(mode)) {
      writeInPieces(writer, content);
      fixture.nodes.get(silent).open(0).inFlush = this::hang;
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(isLeft ? ALL : but(silent));
    }
    assertThat(fixture.awaitParity()).as("nobody waits for it").isTrue();
    assertThat(fixture.backlog.lostBlocks()).isEqualTo(isLeft ? 1 : 0);
    requireOthers(content, silent);
    fixture.writers.run(Duration.ofMinutes(1));
    answer(silent);
  }

  @ParameterizedTest
  @EnumSource
  void groupOfTooFewBlocksIsLost(ParityMode mode) throws Exception {
    ByteBuffer content = StripesFixture.content(3 * STRIPE, 12);
    try (StripedWriter writer = open(mode)) {
      fixture.nodes.get(0).failsWrites = true;
      fixture.nodes.get(3).failsWrites = true;
      hangInWrites(1);
      assertThat(refusal(() -> StripesFixture.write(writer, content, 0, content.limit())).reason())
          .isEqualTo(FallbackReason.DEVICE_TIMEOUT);
      assertThat(writer.alive()).isEqualTo(0b10100);
    }
    answer(1);
  }

  /** It would live on without two of its blocks. */
  @ParameterizedTest
  @EnumSource
  void groupFailsRatherThanUseWhatADeviceReads(ParityMode mode) throws Exception {
    useLittleMemory();
    ByteBuffer content = StripesFixture.content(3 * STRIPE, 13);
    try (StripedWriter writer = open(mode)) {
      hangInWrites(1);
      StripesFixture.write(writer, content, 0, STRIPE + CELL);
      assertThat(writer.alive()).isEqualTo(but(1));
      assertThat(refusal(() -> open(mode)).reason()).isEqualTo(FallbackReason.AGENT_BUSY);

      hangInWrites(2);
      FallbackException refusal =
          refusal(() -> StripesFixture.write(writer, content, STRIPE + CELL, content.limit()));
      assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
      assertThat(refusal.detail()).contains("keeps the group's stripe");
      assertThat(writer.alive()).isEqualTo(0b11001);
    }
    assertThat(fixture.memory.lent()).isEqualTo(2 * Stripe.bytesOf(fixture.layout));
    answer(1);
  }
}
