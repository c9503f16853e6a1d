// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.report.SvgChart;
import io.rdio.bench.report.SvgStack;
import java.util.List;
import org.junit.jupiter.api.Test;

class PanelTest {
  private static Panel.Builder panel() {
    return Panel.of("latency", "size", "µs").line("open", List.of("4 KiB", "1 MiB"), 10, 12);
  }

  @Test
  void goesThroughJson() {
    Panel stacked = panel().stacked(true).build();
    assertThat(Panel.ofFields(stacked.fields())).isEqualTo(stacked);
    assertThat(Panel.ofFields(panel().build().fields())).isEqualTo(panel().build());
    assertThat(panel().build().fields()).doesNotContainKey("stacked");
  }

  @Test
  void partsOfAWholeAreBars() {
    assertThat(panel().build().chart()).isInstanceOf(SvgChart.class);
    assertThat(panel().stacked(true).build().chart()).isInstanceOf(SvgStack.class);
  }

  @Test
  void valuesOfAnotherOneComeBehind() {
    Panel other =
        Panel.of("latency", "size", "µs").add("open", "16 MiB", 20).add("read", "4 KiB", 5).build();
    Panel both = panel().stacked(true).build().with(other);
    assertThat(both.labels()).containsExactly("4 KiB", "1 MiB", "16 MiB");
    assertThat(both.at("open", "1 MiB")).isEqualTo(12);
    assertThat(both.at("read", "4 KiB")).isEqualTo(5);
    assertThat(both.stacked()).isTrue();
  }
}
