// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.GraphLayout;

class SlotTableTest {
  /** Two of the same key are two elements. */
  private static final class Element {
    final Integer key;

    Element(int key) {
      this.key = key;
    }
  }

  /** Any sequence of operations does to the table what it does to a map. */
  @Property(tries = 300)
  void isAMapFromKeysToElements(@ForAll long seed, @ForAll @IntRange(min = 1, max = 400) int keys) {
    Random random = new Random(seed);
    SlotTable<Integer, Element> table = new SlotTable<>(element -> element.key, 1);
    Map<Integer, Element> model = new HashMap<>();
    for (int i = 0; i < 2000; i++) {
      int key = random.nextInt(keys);
      Element element = new Element(key);
      switch (random.nextInt(4)) {
        case 0 -> assertThat(table.put(element)).isSameAs(model.put(key, element));
        case 1 -> assertThat(table.putIfAbsent(element)).isSameAs(model.putIfAbsent(key, element));
        case 2 -> {
          Element present = model.remove(key);
          assertThat(table.remove(element)).as("another element of the key").isFalse();
          assertThat(present != null && table.remove(present)).isEqualTo(present != null);
        }
        default -> assertThat(table.find(key)).isSameAs(model.get(key));
      }
      assertThat(table.size()).isEqualTo(model.size());
    }
    assertThat(table).containsExactlyInAnyOrderElementsOf(model.values());
  }

  /** While others come and go, so that slots are copied all the time, what stays is found. */
  @Test
  void whatStaysIsFoundAllTheWhile() throws Exception {
    SlotTable<Integer, Element> table = new SlotTable<>(element -> element.key, 1);
    int staying = 100;
    for (int key = 0; key < staying; key++) {
      table.put(new Element(key));
    }
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Integer> reader =
        CompletableFuture.supplyAsync(
            () -> {
              int missed = 0;
              while (!done.get()) {
                for (int key = 0; key < staying; key++) {
                  Element found = table.find(key);
                  missed += found == null || found.key != key ? 1 : 0;
                }
              }
              return missed;
            });
    Random random = new Random(3);
    List<Element> others = new ArrayList<>();
    for (int i = 0; i < 500_000; i++) {
      Element other = new Element(staying + i % 5000);
      if (table.putIfAbsent(other) == null) {
        others.add(other);
      }
      if (others.size() > random.nextInt(400)) {
        assertThat(table.remove(others.remove(random.nextInt(others.size())))).isTrue();
      }
    }
    done.set(true);
    assertThat(reader.get()).isZero();
    assertThat(table.size()).isEqualTo(staying + others.size());
  }

  @Test
  void anElementTakesTenToThirteenBytes() {
    for (int count = 100_000; count < 140_000; count += 5000) {
      SlotTable<Integer, Element> table = new SlotTable<>(element -> element.key, 4);
      for (int key = 0; key < count; key++) {
        table.put(new Element(key));
      }
      long elements = count * (16L + 16);
      double each = (GraphLayout.parseInstance(table).totalSize() - elements) / (double) count;
      assertThat(each).isBetween(10.0, 13.0);
    }
  }
}
