// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.client.write.SummedStripes.ALL;
import static io.rdio.client.write.SummedStripes.CELL;
import static io.rdio.client.write.SummedStripes.STRIPE;
import static io.rdio.client.write.SummedStripes.UNITS;
import static io.rdio.client.write.SummedStripes.refusal;
import static io.rdio.client.write.SummedStripes.writeInPieces;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Groups of erasure-coded blocks: how they are laid out, opened and given up. */
@Timeout(180)
final class StripedWriterTest {
  private final SummedStripes fixture = SummedStripes.withMuchMemory();

  @AfterEach
  void close() {
    fixture.close();
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
        fixture.requireBlock(content, unit);
        assertThat(fixture.nodes.get(unit).aborted).isEmpty();
      } else {
        assertThat(fixture.nodes.get(unit).commits).isEmpty();
        assertThat(fixture.nodes.get(unit).aborted).as("nothing came for it").hasSize(1);
      }
    }
    assertThat(fixture.backlog.lostBlocks()).isZero();
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
    try (SummedStripes scarce = SummedStripes.withLittleMemory()) {
      try (StripedWriter first = scarce.open(ParityMode.DEFERRED);
          StripedWriter second = scarce.open(ParityMode.DEFERRED)) {
        assertThat(first.alive()).isEqualTo(second.alive());
        assertThat(refusal(() -> scarce.open(ParityMode.DEFERRED)).reason())
            .isEqualTo(FallbackReason.AGENT_BUSY);
      }
      scarce.open(ParityMode.DEFERRED).close();
    }
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
