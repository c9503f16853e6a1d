// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class GridTest {
  @Test
  void figuresAreBelowEachOther() {
    Grid grid =
        new Grid(
            List.of("", "MB/s", ""),
            List.of(List.of("stock", "5", "missed"), List.of("rdio", "12345", "reached")));
    assertThat(grid.text())
        .isEqualTo(
            """
                    MB/s
            stock      5   missed
            rdio   12345  reached
            """);
  }

  @Test
  void paragraphsAreWrappedBetweenWords() {
    String text = "word ".repeat(50).strip();
    String wrapped = Grid.wrapped(text);
    assertThat(wrapped.lines()).allMatch(line -> line.length() <= 100);
    assertThat(wrapped.replace('\n', ' ').strip()).isEqualTo(text);
  }
}
