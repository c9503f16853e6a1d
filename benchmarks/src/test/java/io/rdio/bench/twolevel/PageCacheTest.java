// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Both models of level 1, on traces worked out by hand. */
class PageCacheTest {
  private final List<Integer> evicted = new ArrayList<>();

  private PageCache cache(PageCache.Model model, int capacity) {
    return model.create(16, capacity, evicted::add);
  }

  private static void read(PageCache cache, int... blocks) {
    for (int block : blocks) {
      if (!cache.read(block)) {
        cache.add(block);
      }
    }
  }

  @Test
  void lruEvictsWhatWasReadLongestAgo() {
    PageCache cache = cache(PageCache.Model.LRU, 3);
    read(cache, 0, 1, 2, 0, 3, 4);
    assertThat(evicted).containsExactly(1, 2);
    assertThat(cache.contains(0)).isTrue();
    assertThat(cache.contains(1)).isFalse();
  }

  @Test
  void linuxEvictsByAgeWhatWasReadOnceAgainOnly() {
    PageCache cache = cache(PageCache.Model.LINUX, 3);
    // Block 0 is read again, so that it is referenced, but still the inactive list's tail.
    read(cache, 0, 1, 2, 0, 3);
    assertThat(evicted).containsExactly(0);
  }

  @Test
  void linuxKeepsWhatWasReadThreeTimesThroughAScan() {
    PageCache cache = cache(PageCache.Model.LINUX, 4);
    read(cache, 0, 0, 0); // Active now.
    read(cache, 1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(evicted).containsExactly(1, 2, 3, 4, 5);
    assertThat(cache.contains(0)).isTrue();
  }

  @Test
  void linuxActivatesARefaultThatAFullCacheWouldHaveHeld() {
    PageCache cache = cache(PageCache.Model.LINUX, 4);
    read(cache, 0, 0, 0, 1, 1, 1); // Two active: a distance of up to 2 is activated.
    read(cache, 2, 3, 4); // 2 is evicted at age 2.
    assertThat(evicted).containsExactly(2);
    read(cache, 2); // Evicts 3: the distance is 2.
    assertThat(evicted).containsExactly(2, 3);
    // Inactive {4}, active {0, 1, 2}: the active tail 0 is deactivated behind 4, and 4 leaves. With
    // 2
    // inactive too, no active block would have had to go down, and 4 would leave as well: so look
    // at
    // who goes next.
    read(cache, 5);
    assertThat(evicted).containsExactly(2, 3, 4);
    read(cache, 6);
    assertThat(evicted).containsExactly(2, 3, 4, 0);
    assertThat(cache.contains(2)).isTrue();
  }

  @Test
  void linuxTreatsAFarRefaultAsNew() {
    PageCache cache = cache(PageCache.Model.LINUX, 2);
    read(cache, 0, 1, 2, 3, 0, 1, 2, 3); // A scan over more than the cache: nothing is active.
    assertThat(evicted).containsExactly(0, 1, 2, 3, 0, 1);
  }

  @Test
  void needsRoomForABlock() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache(PageCache.Model.LINUX, 0))
        .withMessageContaining("0 blocks");
  }
}
