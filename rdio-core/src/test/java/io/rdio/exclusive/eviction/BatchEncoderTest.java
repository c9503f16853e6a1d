// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.exclusive.wire.EvictedBlocks;
import java.util.BitSet;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The words of the wire. */
final class BatchEncoderTest {
  private final BatchEncoder encoder = new BatchEncoder(8);

  @Test
  void wholeSegmentsHaveNoLengths() {
    encoder.add(32, 8);
    encoder.add(0, 8);

    EvictedBlocks batch = encoder.encode(5);

    assertThat(batch.getDevice()).isEqualTo(5);
    assertThat(batch.getStartsList()).containsExactly(0L, 24L);
    assertThat(batch.getMoreBlocksList()).isEmpty();
    assertThat(encoder.encodedBlocks()).isEqualTo(16);
  }

  @Test
  void startsAreDistancesFromTheRunBefore() {
    encoder.add(100, 3);
    encoder.add(7, 1);

    EvictedBlocks batch = encoder.encode(0);

    assertThat(batch.getStartsList()).containsExactly(7L, 92L);
    assertThat(batch.getMoreBlocksList()).containsExactly(0, 2);
  }

  @Test
  void unalignedRunOfASegmentsLengthNeedsItsLength() {
    encoder.add(4, 8);

    assertThat(encoder.encode(0).getMoreBlocksList()).containsExactly(7);
  }

  /** Any runs in any order: decoded they are the same blocks, sorted and apart. */
  @Property(tries = 300)
  void decodedIsWhatWasAdded(
      @ForAll @Size(min = 1, max = 400) List<@IntRange(max = 3000) Integer> firsts,
      @ForAll @IntRange(min = 1, max = 20) int most) {
    BitSet added = new BitSet();
    for (int first : firsts) {
      int blocks = 1 + (first * 31) % most;
      encoder.add(first, blocks);
      added.set(first, first + blocks);
    }

    EvictedBlocks batch = encoder.encode(1);

    assertThat(RecordingStorage.blocks(batch)).isEqualTo(added);
    assertThat(encoder.encodedBlocks()).isEqualTo(added.cardinality());
    // Runs that touch were joined.
    assertThat(batch.getStartsList().stream().skip(1)).allMatch(distance -> distance > 0);
    assertThat(encoder.isEmpty()).isTrue();
  }
}
