// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A window outlives the map that it was read by. Its first chunks have been handed out, and of
 * those behind them one is wrong; then a reader comes who has another replica by now.
 */
final class MapChangeTest {
  private static final int LENGTH = 1 << 20;
  private static final int READ = 4096;
  private static final int WRONG = 20_000;

  private final TestBlock block =
      new TestBlock(3, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private final ReadFixture fixture = new ReadFixture(block, 512);
  private final byte[] got = new byte[LENGTH];
  private MappedReplica one;
  private MappedReplica other;
  private ReadAhead ahead;

  @BeforeEach
  void openTwice() throws FallbackException {
    fixture.maps.then(block.map(fixture.clock));
    one = fixture.context.resolve(block.request, true, LENGTH);
    ahead = fixture.readAheads.borrow(fixture.clock);
  }

  private void changeMap() throws FallbackException {
    fixture.maps.reject(one.map(), FallbackReason.CHECKSUM_MISMATCH);
    other = fixture.context.resolve(block.request, true, LENGTH);
    assertThat(other).isNotSameAs(one);
  }

  @AfterEach
  void giveBack() {
    fixture.readAheads.giveBack(ahead);
  }

  private void read(MappedReplica by, int from, int count, long expected) throws FallbackException {
    Piece piece = new Piece().of(from, got, from, count);
    ahead.plan(by, piece, LENGTH, expected);
    while (!piece.isDone()) {
      if (!ahead.holds(by, piece.offset())) {
        ahead.fetch(by, piece);
      }
      ahead.current().copy(piece);
    }
    assertThat(got).startsWith(block.range(0, from + count));
  }

  @Test
  void whatIsNotVerifiedIsReadAnewByTheOtherMap() throws Exception {
    block.image[block.placeOf(WRONG)] ^= 4;
    read(one, 0, READ, ReadPlan.NOWHERE);
    block.image[block.placeOf(WRONG)] ^= 4; // as the other replica has it
    changeMap();

    assertThat(ahead.holds(one, READ)).isTrue();
    assertThat(ahead.holds(other, READ)).isFalse();
    read(other, READ, 8 * READ, READ);
  }

  @Test
  void withTheSameMapItIsWrong() throws Exception {
    block.image[block.placeOf(WRONG)] ^= 4;
    read(one, 0, READ, ReadPlan.NOWHERE);
    block.image[block.placeOf(WRONG)] ^= 4;

    assertThatThrownBy(() -> read(one, READ, 8 * READ, READ))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.CHECKSUM_MISMATCH));
  }

  @Test
  void whatIsVerifiedServesWhoeverComes() throws Exception {
    read(one, 0, READ, ReadPlan.NOWHERE);
    int end = (int) ahead.current().end();
    read(one, READ, end - READ - 1, READ); // with its last chunk, but for a byte
    int reads = fixture.device.reads();
    changeMap();

    assertThat(ahead.holds(other, end - 1)).isTrue();
    Piece last = new Piece().of(end - 1, got, end - 1, 1);
    ahead.current().copy(last);
    assertThat(last.isDone()).isTrue();
    assertThat(got).startsWith(block.range(0, end));
    assertThat(fixture.device.reads()).isEqualTo(reads);
  }
}
