// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Every pin gets its turn, and no turn is longer than it may be. */
final class PinTurnsTest {
  private static final Holder HOLDER = new Holder("c", "10.0.0.1");

  private final Volume volume = TestPins.volume();
  private final LeaseTable table =
      new LeaseTable(
          GrantConfig.builder().pinsPerVolume(10_000).leasesPerAddress(10_000).build(), () -> 0);

  private Pin pin(long block) throws FallbackException {
    Demand demand = new Demand(HOLDER, new BlockKey("BP-1-127.0.0.1-1", block, 1001), false);
    assertThat(table.reserve(volume, demand)).isTrue();
    Pin pin = TestPins.pin(demand.block(), 100, volume);
    table.insert(pin, demand);
    return pin;
  }

  private List<Pin> pins(int count) throws FallbackException {
    List<Pin> pins = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      pins.add(pin(i));
    }
    return pins;
  }

  private static List<Long> blocks(PinTurns turns) {
    return turns.next().stream().map(pin -> pin.block().blockId()).toList();
  }

  private static List<Long> from(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  @Test
  void fewPinsAllHaveTheirTurnEachTime() throws FallbackException {
    pins(3);
    PinTurns turns = new PinTurns(table, 4);
    for (int i = 0; i < 3; i++) {
      assertThat(blocks(turns)).containsExactly(1L, 2L, 3L);
    }
  }

  @Test
  void asManyPinsAsATurnHasPlacesLeaveNoTurnEmpty() throws FallbackException {
    pins(4);
    PinTurns turns = new PinTurns(table, 2);
    for (int i = 0; i < 2; i++) {
      assertThat(blocks(turns)).containsExactly(1L, 2L);
      assertThat(blocks(turns)).containsExactly(3L, 4L);
    }
  }

  @Test
  void manyPinsTakeTurnsAcrossPagesOfTheTable() throws FallbackException {
    pins(3_700);
    PinTurns turns = new PinTurns(table, 1_500);
    for (int i = 0; i < 2; i++) {
      assertThat(blocks(turns)).isEqualTo(from(1, 1_500));
      assertThat(blocks(turns)).isEqualTo(from(1_501, 3_000));
      assertThat(blocks(turns)).isEqualTo(from(3_001, 3_700));
    }
  }

  @Test
  void pinsThatComeOrGoKeepNoOtherFromItsTurn() throws FallbackException {
    List<Pin> pins = pins(5);
    PinTurns turns = new PinTurns(table, 2);
    assertThat(blocks(turns)).containsExactly(1L, 2L);

    table.recall(pins.get(1), true); // the last that was looked at
    table.recall(pins.get(2), true);
    pin(6);
    assertThat(blocks(turns)).containsExactly(4L, 5L);
    assertThat(blocks(turns)).containsExactly(6L);
    assertThat(blocks(turns)).containsExactly(1L, 4L);
  }

  @Test
  void noPinsAreNoTurn() {
    assertThat(new PinTurns(table, 2).next()).isEmpty();
  }
}
