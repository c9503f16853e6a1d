// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Random operations, against regions of names. */
class FlashTierModelTest {
  private static final int OPERATIONS = 2_500;
  private static final int BLOCKS = 500;
  private static final int MOST_HITS = 3;

  private record Name(int id, long chunk) {}

  /** Names in the order of their slots, with their hits. */
  private static final class Names {
    final Map<Name, Integer> hits = new LinkedHashMap<>();
    int used;

    boolean isFull() {
      return used == TierFixture.OF_REGION;
    }
  }

  private final ArrayDeque<Names> regions = new ArrayDeque<>();

  @Property(tries = 20, seed = "20261128")
  void hasExactlyWhatTheNaiveQueueHas(@ForAll long seed) {
    run(new Random(seed), false);
  }

  @Property(tries = 10, seed = "20261128")
  void neverGivesWrongBytesWhateverBecomesOfTheFile(@ForAll long seed) {
    run(new Random(seed), true);
  }

  private void run(Random random, boolean corrupt) {
    TierFixture flash = new TierFixture();
    regions.clear();
    open();
    for (int i = 0; i < OPERATIONS; i++) {
      Name name = new Name(random.nextInt(1 + random.nextInt(BLOCKS)), random.nextInt(4));
      if (corrupt && random.nextInt(20) == 0) {
        flash.file.bytes()[random.nextInt(flash.file.bytes().length)] ^= 1;
      }
      switch (random.nextInt(10)) {
        case 0 -> {
          flash.tier.drop(TierFixture.block(name.id()), 0, 4);
          regions.forEach(region -> region.hits.keySet().removeIf(n -> n.id() == name.id()));
        }
        case 1, 2, 3, 4, 5 -> {
          assertThat(flash.offer(name.id(), name.chunk())).isTrue();
          offer(name);
        }
        default -> {
          boolean here = flash.read(name.id(), name.chunk());
          assertThat(corrupt || here == hit(name)).isTrue();
        }
      }
      flash.settle();
      open();
    }
    assertThat(corrupt || flash.counters.dataCacheFlashChecksumFailures.sum() == 0).isTrue();
    assertThat(flash.counters.dataCacheFlashFailures.sum()).isZero();
  }

  private boolean hit(Name name) {
    for (Names region : regions) {
      if (region.hits.computeIfPresent(name, (n, hits) -> Math.min(MOST_HITS, hits + 1)) != null) {
        return true;
      }
    }
    return false;
  }

  private void offer(Name name) {
    if (regions.stream().noneMatch(region -> region.hits.containsKey(name))) {
      Names first = regions.stream().filter(region -> !region.isFull()).findFirst().orElseThrow();
      first.hits.put(name, 0);
      first.used++;
    }
  }

  /** Has two regions that are not full. */
  private void open() {
    while (regions.stream().filter(region -> !region.isFull()).count() < 2) {
      Names next = new Names();
      if (regions.size() == TierFixture.REGIONS) {
        List<Map.Entry<Name, Integer>> kept =
            regions.remove().hits.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .limit(TierFixture.OF_REGION / 2)
                .toList();
        kept.forEach(entry -> next.hits.put(entry.getKey(), entry.getValue() - 1));
        next.used = kept.size();
      }
      regions.add(next);
    }
  }
}
