// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** However places are taken and given back, nobody has a byte that somebody else has. */
class SharedSegmentTest {
  private static final int STEPS = 200;

  @Property(tries = 200)
  void nothingIsGivenOutTwice(@ForAll @IntRange(min = 1, max = 70) int places, @ForAll long seed)
      throws IOException {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    long placeBytes = SharedSegment.leastBytes() - SharedSegment.placeAt(0);
    SharedSegment segment =
        SharedSegment.create(SharedSegment.placeAt(0) + places * placeBytes + placeBytes / 2);
    try {
      assertThat(segment.places()).isEqualTo(Math.min(places, Long.SIZE));
      play(segment, new Random(seed));
    } finally {
      segment.close();
    }
  }

  private static void play(SharedSegment segment, Random random) {
    List<Window> taken = new ArrayList<>();
    int inUse = 0;
    for (int step = 0; step < STEPS; step++) {
      if (!taken.isEmpty() && random.nextInt(5) < 2) {
        Window given = taken.remove(random.nextInt(taken.size()));
        inUse -= given.places();
        segment.give(given);
        continue;
      }
      int bytes = 1 + random.nextInt(2 * Protocol.READ_MAX);
      Window window = segment.take(bytes);
      assertThat(window == null).isEqualTo(inUse == segment.places());
      if (window != null) {
        requireApart(segment, window, bytes, taken);
        inUse += window.places();
        taken.add(window);
      }
    }
  }

  private static void requireApart(
      SharedSegment segment, Window window, int bytes, List<Window> others) {
    int end = end(window);
    assertThat(window.placeAt()).isPositive();
    assertThat((long) end).isLessThanOrEqualTo(segment.length());
    assertThat(window.room()).isGreaterThanOrEqualTo(window.capacity() + Protocol.SLACK);
    assertThat(window.capacity() - Math.min(bytes, Protocol.READ_MAX))
        .isLessThan(SharedSegment.PLACE_DATA);
    for (Window other : others) {
      assertThat(end <= other.placeAt() || window.placeAt() >= end(other)).isTrue();
    }
  }

  private static int end(Window window) {
    return window.crcPlaceAt() + SharedSegment.CRC_ROOM;
  }
}
