// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.client.write.SummedStripes.ALL;
import static io.rdio.client.write.SummedStripes.DATA;
import static io.rdio.client.write.SummedStripes.STRIPE;
import static io.rdio.client.write.SummedStripes.UNITS;
import static io.rdio.client.write.SummedStripes.refusal;
import static io.rdio.client.write.SummedStripes.writeInPieces;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Groups of erasure-coded blocks that go on, or not, when something fails. */
@Timeout(180)
final class StripedWriterFailureTest {
  private final SummedStripes fixture = SummedStripes.withMuchMemory();

  @AfterEach
  void close() {
    fixture.close();
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
        fixture.requireBlock(content, unit);
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
      fixture.requireBlock(content, 0);
      fixture.requireBlock(content, 3);
      fixture.requireBlock(content, 4);
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

  /** A block of data and one of parity are refused for good: the group needs the slow one. */
  @ParameterizedTest
  @EnumSource
  void slowDataNodeIsWaitedForWhereTheGroupNeedsIt(ParityMode mode) throws Exception {
    fixture.nodes.forEach(node -> node.leaseMillis = 600_000);
    ByteBuffer content = StripesFixture.content(2 * STRIPE, 12);
    FakeDataNode slow = fixture.nodes.get(1);
    for (int i = 0; i < 300; i++) {
      slow.commitRefusals.add(
          new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "no answer"));
    }
    fixture.nodes.get(2).commitRefusals.add(changed());
    fixture.nodes.get(4).commitRefusals.add(changed());
    try (StripedWriter writer = fixture.open(mode)) {
      writeInPieces(writer, content);
      fixture.writers.plane.before = () -> fixture.writers.standStill(Duration.ofMillis(100));
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(0b01011);
      fixture.writers.plane.before = () -> {};
    }
    fixture.requireBlock(content, 1);
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
    fixture.requireBlock(content, 3);
  }

  @ParameterizedTest
  @EnumSource
  void codeThatFailsCostsParityAlone(ParityMode mode) throws Exception {
    ByteBuffer content = StripesFixture.content(3 * STRIPE, 13);
    fixture.sums.failure = new FallbackException(FallbackReason.INTERNAL_ERROR, "for the test");
    try (StripedWriter writer = fixture.open(mode)) {
      writeInPieces(writer, content);
      assertThat(StripesFixture.commit(writer, content) & 0b111).isEqualTo(0b111);
    }
    assertThat(fixture.awaitParity()).isTrue();
    for (int unit = 0; unit < DATA; unit++) {
      fixture.requireBlock(content, unit);
    }
    assertThat(fixture.committed(3)).isNull();
  }

  /** Nothing is left of the group that others would have to wait for. */
  @Test
  void codeThatFailsAtItsEndCostsNothing() throws Exception {
    fixture.sums.failureOfClose = new IllegalStateException("for the test");
    ByteBuffer content = StripesFixture.content(3 * STRIPE, 14);
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      writeInPieces(writer, content);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL);
    }
    assertThat(fixture.awaitParity()).isTrue();
    assertThat(fixture.backlog.lostBlocks()).isZero();
    assertThat(fixture.memory.lent()).isZero();
    for (int unit = 0; unit < UNITS; unit++) {
      fixture.requireBlock(content, unit);
    }
  }

  /** That of a group that is given up. */
  @Test
  void codeThatFailsAtItsEndKeepsNoSlotAndNoMemory() throws Exception {
    fixture.sums.failureOfClose = new IllegalStateException("for the test");
    ByteBuffer content = StripesFixture.content(3 * STRIPE, 15);
    StripedWriter writer = fixture.open(ParityMode.DEFERRED);
    StripesFixture.write(writer, content, 0, 2 * STRIPE);
    assertThatThrownBy(writer::close).isSameAs(fixture.sums.failureOfClose);
    assertThatThrownBy(() -> StripesFixture.write(writer, content, 2 * STRIPE, 3 * STRIPE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(fixture.memory.lent()).isZero();
    fixture.writers.tend();
    assertThat(fixture.nodes).allSatisfy(node -> assertThat(node.aborted).hasSize(1));
  }
}
