// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random operations, against a map. */
class FlashIndexTest {
  private static final int SLOTS = 48;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void isAsAMap(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    FlashIndex index = new FlashIndex(SLOTS);
    Map<Long, Integer> model = new HashMap<>();
    for (int i = 0; i < 50_000; i++) {
      // Few homes, so that most collide.
      long hash = (1 + random.nextLong(40)) << 32 | random.nextInt(3);
      int slot = random.nextInt(SLOTS);
      if (random.nextInt(3) == 0) {
        index.remove(hash);
        model.remove(hash);
      } else if (!model.containsKey(hash)) {
        index.removeSlot(slot);
        model.values().remove(slot);
        index.put(hash, slot, i, i % 4);
        model.put(hash, slot);
      }
      assertThat(index.size()).isEqualTo(model.size());
      assertThat(index.find(hash)).isEqualTo(model.getOrDefault(hash, FlashIndex.NONE));
      if (i % 100 == 0) {
        model.forEach((each, at) -> assertThat(index.find(each)).isEqualTo(at));
      }
    }
    index.clear();
    model.keySet().forEach(each -> assertThat(index.find(each)).isEqualTo(FlashIndex.NONE));
  }
}
