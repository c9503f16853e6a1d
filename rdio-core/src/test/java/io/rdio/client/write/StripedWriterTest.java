// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import io.rdio.nativeio.HugeMemory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Groups of erasure-coded blocks, and what becomes of them when something fails. */
@Timeout(180)
final class StripedWriterTest {
  private static final int CELL = 8192;
  private static final int DATA = 3;
  private static final int UNITS = 5;
  private static final int STRIPE = DATA * CELL;
  private static final long ALL = 0b11111;

  /** For as many stripes as a test has. */
  private static final long MUCH = 64L * HugeMemory.PAGE;

  /** For the first one of a group alone. */
  private static final long LITTLE = 2L * HugeMemory.PAGE;

  private final SumEncoder sums = new SumEncoder();
  private StripesFixture fixture = fixture(MUCH);

  private StripesFixture fixture(long memory) {
    return new StripesFixture(new StripeLayout(DATA, 2, CELL), sums, memory);
  }

  private void useLittleMemory() {
    fixture.close();
    fixture = fixture(LITTLE);
  }

  @AfterEach
  void close() {
    fixture.close();
    assertThat(fixture.memory.lent()).isZero();
    assertThat(sums.open).hasValue(0);
    assertThat(fixture.backlog.groups()).isZero();
  }

  static Stream<Arguments> lengthsAndModes() {
    int[] lengths = {
      1,
      511,
      CELL - 1,
      CELL,
      CELL + 1,
      2 * CELL,
      2 * CELL + 1,
      STRIPE,
      STRIPE + 5,
      2 * STRIPE - 1,
      7 * STRIPE + CELL + 4096,
      32 * STRIPE
    };
    return Stream.of(ParityMode.values())
        .flatMap(
            mode ->
                Stream.of(lengths)
                    .flatMap(all -> Arrays.stream(all).boxed())
                    .map(length -> Arguments.of(mode, length)));
  }

  /** As HDFS lays it out, byte by byte. */
  private byte[] expected(byte[] content, int unit) {
    byte[] block = new byte[(int) fixture.layout.blockBytes(unit, content.length)];
    for (int at = 0; at < block.length; at++) {
      byte[] column = new byte[DATA];
      for (int i = 0; i < DATA; i++) {
        int from = at / CELL * STRIPE + i * CELL + at % CELL;
        column[i] = from < content.length ? content[from] : 0;
      }
      block[at] = unit < DATA ? column[unit] : SumEncoder.sum(unit - DATA, column);
    }
    return block;
  }

  private void requireBlock(ByteBuffer content, int unit) {
    byte[] expected = expected(WritersFixture.array(content), unit);
    assertThat(fixture.written(unit, expected.length)).as("block " + unit).isEqualTo(expected);
    assertThat(fixture.committed(unit)).isEqualTo(StripesFixture.crcs(expected));
  }

  private static void writeInPieces(StripedWriter writer, ByteBuffer content)
      throws FallbackException {
    Random random = new Random(content.limit());
    for (int at = 0; at < content.limit(); ) {
      int to = Math.min(content.limit(), at + 4096 * (1 + random.nextInt(9)));
      StripesFixture.write(writer, content, at, to);
      at = to;
    }
  }

  @ParameterizedTest
  @MethodSource("lengthsAndModes")
  void blocksAreAsHdfsLaysThemOut(ParityMode mode, int length) throws Exception {
    ByteBuffer content = StripesFixture.content(length, 1);
    try (StripedWriter writer = fixture.open(mode)) {
      assertThat(writer.capacity()).isEqualTo(fixture.groupBytes());
      writeInPieces(writer, content);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL);
    }
    assertThat(fixture.awaitParity()).isTrue();
    fixture.writers.tend();
    for (int unit = 0; unit < UNITS; unit++) {
      if (fixture.layout.blockBytes(unit, length) > 0) {
        requireBlock(content, unit);
        assertThat(fixture.nodes.get(unit).aborted).isEmpty();
      } else {
        assertThat(fixture.nodes.get(unit).commits).isEmpty();
        assertThat(fixture.nodes.get(unit).aborted).as("nothing came for it").hasSize(1);
      }
    }
    assertThat(fixture.backlog.lostBlocks()).isZero();
  }

  private static void passed(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private MemorySlotDevice device(int unit) {
    return fixture.nodes.get(unit).open(0);
  }

  /** Holds parity up; counted down when it comes to be written. */
  private CountDownLatch holdParity(CountDownLatch until) {
    CountDownLatch comes = new CountDownLatch(1);
    device(DATA).inWrite =
        () -> {
          comes.countDown();
          passed(until);
        };
    return comes;
  }

  @ParameterizedTest
  @EnumSource(names = {"AWAITED", "DEFERRED"})
  void dataDoesNotWaitForParity(ParityMode mode) throws Exception {
    ByteBuffer content = StripesFixture.content(9 * STRIPE, 2);
    CountDownLatch held = new CountDownLatch(1);
    try (StripedWriter writer = fixture.open(mode)) {
      CountDownLatch comes = holdParity(held);
      StripesFixture.write(writer, content, 0, 8 * STRIPE + 1024 * 4);
      passed(comes);
      assertThat(fixture.written(0, 8 * CELL))
          .isEqualTo(Arrays.copyOf(expected(WritersFixture.array(content), 0), 8 * CELL));
      held.countDown();
      StripesFixture.write(writer, content, 8 * STRIPE + 1024 * 4, 9 * STRIPE);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL);
    }
    assertThat(fixture.awaitParity()).isTrue();
    requireBlock(content, DATA);
  }

  /** Immediate by its mode, and for want of memory. */
  @ParameterizedTest
  @EnumSource
  void nextStripeWaitsForParityWhereItMust(ParityMode mode) throws Exception {
    if (mode != ParityMode.IMMEDIATE) {
      useLittleMemory();
    }
    ByteBuffer content = StripesFixture.content(3 * STRIPE, 3);
    CountDownLatch held = new CountDownLatch(1);
    try (StripedWriter writer = fixture.open(mode)) {
      CountDownLatch comes = holdParity(held);
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(() -> unchecked(() -> writeInPieces(writer, content)));
      passed(comes);
      // All of the next stripe would be there by then if nobody waited.
      await()
          .during(Duration.ofMillis(300))
          .until(() -> fixture.written(0, 2 * CELL)[2 * CELL - 1] == 0 && !written.isDone());
      held.countDown();
      written.get(60, TimeUnit.SECONDS);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL);
    }
    assertThat(fixture.awaitParity()).isTrue();
    for (int unit = 0; unit < UNITS; unit++) {
      requireBlock(content, unit);
    }
  }

  private static void unchecked(ThrowingCallable call) {
    try {
      call.call();
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void groupIsCommittedBeforeItsDeferredParity() throws Exception {
    ByteBuffer content = StripesFixture.content(2 * STRIPE + 77, 4);
    CountDownLatch held = new CountDownLatch(1);
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      holdParity(held);
      writeInPieces(writer, content);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL);
    }
    assertThat(fixture.committed(0)).isNotNull();
    assertThat(fixture.committed(DATA)).isNull();
    assertThat(fixture.backlog.groups()).isEqualTo(1);
    assertThat(fixture.backlog.bytes()).isEqualTo(2 * STRIPE + 77);
    fixture.writers.run(Duration.ofSeconds(90)); // its leases are renewed
    assertThat(fixture.backlog.oldestSeconds()).isEqualTo(90);

    held.countDown();
    assertThat(fixture.awaitParity()).isTrue();
    for (int unit = 0; unit < UNITS; unit++) {
      requireBlock(content, unit);
    }
  }

  @Test
  void whoAwaitsParityHasIt() throws Exception {
    ByteBuffer content = StripesFixture.content(2 * STRIPE, 5);
    try (StripedWriter writer = fixture.open(ParityMode.AWAITED)) {
      writeInPieces(writer, content);
      StripesFixture.commit(writer, content);
      requireBlock(content, DATA);
      requireBlock(content, DATA + 1);
      assertThat(fixture.backlog.groups()).isZero();
    }
  }

  /** The NameNode would make it at once. */
  @Test
  void groupWithoutAllBlocksHasItsParityAtOnce() throws Exception {
    ByteBuffer content = StripesFixture.content(2 * CELL, 6);
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      writeInPieces(writer, content);
      StripesFixture.commit(writer, content);
      requireBlock(content, DATA + 1);
      assertThat(fixture.backlog.groups()).isZero();
    }
  }

  static Stream<Arguments> unitsAndModes() {
    return Stream.of(ParityMode.values())
        .flatMap(mode -> Stream.of(0, 1, 2, 3, 4).map(unit -> Arguments.of(mode, unit)));
  }

  @ParameterizedTest
  @MethodSource("unitsAndModes")
  void groupGoesOnWithoutAnyTarget(ParityMode mode, int lost) throws Exception {
    ByteBuffer content = StripesFixture.content(6 * STRIPE + 9, 7);
    try (StripedWriter writer = fixture.open(mode)) {
      StripesFixture.write(writer, content, 0, 2 * STRIPE);
      fixture.nodes.get(lost).failsWrites = true;
      StripesFixture.write(writer, content, 2 * STRIPE, content.limit());
      await("deferred parity fails behind the data")
          .until(() -> writer.alive() == (ALL & ~(1L << lost)));
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL & ~(1L << lost));
      assertThat(fixture.backlog.groups()).as("it is immediate then").isZero();
    }
    fixture.writers.tend();
    assertThat(fixture.nodes.get(lost).aborted).hasSize(1);
    for (int unit = 0; unit < UNITS; unit++) {
      if (unit == lost) {
        assertThat(fixture.committed(unit)).isNull();
      } else {
        requireBlock(content, unit);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void dataNodeThatDoesNotAnswerIsNotWaitedForLong(ParityMode mode) throws Exception {
    ByteBuffer content = StripesFixture.content(6 * STRIPE, 8);
    FakeDataNode silent = fixture.nodes.get(1);
    for (int i = 0; i < 20_000; i++) {
      silent.commitRefusals.add(
          new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "no answer"));
    }
    try (StripedWriter writer = fixture.open(mode)) {
      StripesFixture.write(writer, content, 0, content.limit());
      fixture.writers.plane.before = () -> fixture.writers.standStill(Duration.ofMillis(100));
      long begun = fixture.writers.terms.nanos();
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL & ~0b10L);
      assertThat(Duration.ofNanos(fixture.writers.terms.nanos() - begun))
          .isLessThan(WritersFixture.TRIES.within());
      fixture.writers.plane.before = () -> {};
    }
  }

  @ParameterizedTest
  @EnumSource
  void groupOfTooFewBlocksIsLost(ParityMode mode) throws Exception {
    ByteBuffer content = StripesFixture.content(6 * STRIPE, 8);
    try (StripedWriter writer = fixture.open(mode)) {
      StripesFixture.write(writer, content, 0, STRIPE);
      for (int unit : new int[] {0, 3, 4}) {
        fixture.nodes.get(unit).failsWrites = true;
      }
      assertThat(
              refusal(() -> StripesFixture.write(writer, content, STRIPE, content.limit()))
                  .reason())
          .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    }
    fixture.writers.tend();
    assertThat(fixture.nodes).allSatisfy(node -> assertThat(node.aborted).hasSize(1));
  }

  private static FallbackException refusal(ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal;
  }

  private static FallbackException changed() {
    return new FallbackException(FallbackReason.REPLICA_CHANGED, "recovery has it");
  }

  @Test
  void dataThatIsNotCommittedIsMadeUpForByParity() throws Exception {
    ByteBuffer content = StripesFixture.content(2 * STRIPE, 9);
    fixture.nodes.get(1).commitRefusals.add(changed());
    fixture.nodes.get(2).commitRefusals.add(changed());
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      writeInPieces(writer, content);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(0b11001);
      requireBlock(content, 0);
      requireBlock(content, 3);
      requireBlock(content, 4);
    }
  }

  @ParameterizedTest
  @EnumSource
  void commitOfTooFewBlocksFails(ParityMode mode) throws Exception {
    ByteBuffer content = StripesFixture.content(2 * STRIPE, 10);
    for (int unit : new int[] {0, 1, 4}) {
      fixture.nodes.get(unit).commitRefusals.add(changed());
    }
    try (StripedWriter writer = fixture.open(mode)) {
      writeInPieces(writer, content);
      assertThat(refusal(() -> StripesFixture.commit(writer, content)).reason())
          .isEqualTo(FallbackReason.REPLICA_CHANGED);
    }
  }

  @Test
  void deferredParityThatIsNotCommittedIsCounted() throws Exception {
    ByteBuffer content = StripesFixture.content(2 * STRIPE, 11);
    fixture.nodes.get(4).commitRefusals.add(changed());
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      writeInPieces(writer, content);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL);
    }
    assertThat(fixture.awaitParity()).isTrue();
    assertThat(fixture.backlog.lostBlocks()).isEqualTo(1);
    requireBlock(content, 3);
  }

  @Test
  void agentThatEndsGivesItsDeferredParityUp() throws Exception {
    ByteBuffer content = StripesFixture.content(2 * STRIPE, 12);
    CountDownLatch held = new CountDownLatch(1);
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      holdParity(held);
      writeInPieces(writer, content);
      StripesFixture.commit(writer, content);
    }
    CompletableFuture<Void> ends = CompletableFuture.runAsync(fixture.writers.writers::close);
    await().until(() -> device(DATA).leases.get(0).isEnded());
    held.countDown();
    ends.get(60, TimeUnit.SECONDS);
    assertThat(fixture.awaitParity()).isTrue();
    assertThat(fixture.backlog.lostBlocks()).isEqualTo(2);
    assertThat(fixture.committed(0)).isNotNull();
    assertThat(fixture.committed(DATA)).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void codeThatFailsCostsParityAlone(ParityMode mode) throws Exception {
    ByteBuffer content = StripesFixture.content(3 * STRIPE, 13);
    sums.failure = new FallbackException(FallbackReason.INTERNAL_ERROR, "for the test");
    try (StripedWriter writer = fixture.open(mode)) {
      writeInPieces(writer, content);
      assertThat(StripesFixture.commit(writer, content) & 0b111).isEqualTo(0b111);
    }
    assertThat(fixture.awaitParity()).isTrue();
    for (int unit = 0; unit < DATA; unit++) {
      requireBlock(content, unit);
    }
    assertThat(fixture.committed(3)).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void closedGroupIsGivenUp(ParityMode mode) throws Exception {
    ByteBuffer content = StripesFixture.content(9 * STRIPE, 14);
    StripedWriter writer = fixture.open(mode);
    StripesFixture.write(writer, content, 0, 5 * STRIPE + 4096);
    writer.close();
    writer.close();
    assertThat(fixture.memory.lent()).isZero();
    assertThatThrownBy(() -> StripesFixture.write(writer, content, 5 * STRIPE + 4096, 6 * STRIPE))
        .isInstanceOf(IllegalArgumentException.class);
    fixture.writers.tend();
    assertThat(fixture.nodes).allSatisfy(node -> assertThat(node.aborted).hasSize(1));
  }

  @Test
  void whatCannotBeOpenedLeavesNothing() {
    assertThat(refusal(() -> fixture.open(ParityMode.DEFERRED, "unknown")).reason())
        .isEqualTo(FallbackReason.WRITE_UNSUPPORTED);
    assertThat(fixture.nodes).allSatisfy(node -> assertThat(node.lent).isEmpty());
    fixture.nodes.get(3).refusal =
        new FallbackException(FallbackReason.SLOTS_EXHAUSTED, "none left");
    TargetRefusedException refused =
        catchThrowableOfType(TargetRefusedException.class, () -> fixture.open(ParityMode.DEFERRED));
    assertThat(refused.target()).isEqualTo(3);
    fixture.writers.tend();
  }

  @Test
  void groupsBeyondTheMemoryAreRefused() throws Exception {
    useLittleMemory();
    try (StripedWriter first = fixture.open(ParityMode.DEFERRED);
        StripedWriter second = fixture.open(ParityMode.DEFERRED)) {
      assertThat(first.alive()).isEqualTo(second.alive());
      assertThat(refusal(() -> fixture.open(ParityMode.DEFERRED)).reason())
          .isEqualTo(FallbackReason.AGENT_BUSY);
    }
    fixture.open(ParityMode.DEFERRED).close();
  }

  @Test
  void argumentsOutOfRangeAreRefused() throws Exception {
    ByteBuffer content = StripesFixture.content(fixture.groupBytes(), 15);
    try (StripedWriter writer = fixture.open(ParityMode.IMMEDIATE)) {
      StripesFixture.write(writer, content, 0, 4096);
      assertThatThrownBy(() -> StripesFixture.write(writer, content, 0, 4096))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("behind 4096");
      assertThatThrownBy(() -> writer.commit(4096, ByteBuffer.allocate(32)))
          .as("its end was not written")
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
