// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.client.Latencies;
import io.rdio.bench.hdfs.Plots;
import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.XYChart;

class PageTest {
  private static XYChart chart() {
    Histogram histogram = Latencies.histogram();
    for (int i = 1; i <= 1000; i++) {
      histogram.recordValue(i * 1000L);
    }
    return Plots.distribution("latency", Map.of(Way.RDIO, histogram, Way.STOCK, histogram));
  }

  private static String html() throws IOException {
    return new Page("page")
        .chart(chart())
        .chart(chart())
        .grid(new Grid(List.of("way", "µs"), List.of(List.of("a < b & c", "1"))))
        .html();
  }

  private static List<String> found(String regex, String text) {
    return Pattern.compile(regex).matcher(text).results().map(result -> result.group(1)).toList();
  }

  @Test
  void needsNothingButItself() throws IOException {
    String html = html();
    assertThat(html).contains("<svg").doesNotContain("<script", "<link", "<img", "@import", "src=");
    // A namespace is a name, which nothing is loaded from.
    assertThat(html.replaceAll("xmlns(:xlink)?=\"[^\"]*\"", "")).doesNotContain("://");
    assertThat(found("url\\((.)", html)).isNotEmpty().containsOnly("#");
  }

  @Test
  void everyReferenceHasItsOneTarget() throws IOException {
    String html = html();
    List<String> ids = found(" id=\"([^\"]*)\"", html);
    assertThat(ids).doesNotHaveDuplicates().containsAll(found("url\\(#([^)]*)\\)", html));
    assertThat(ids.stream().map(id -> id.replaceAll("-.*", ""))).contains("chart0", "chart1");
  }

  @Test
  void textIsNoMarkup() throws IOException {
    assertThat(html()).contains("<td>a &lt; b &amp; c</td>");
  }

  @Test
  void tagsAreBalanced() throws IOException {
    String html = html();
    for (String tag : List.of("svg", "table", "tr", "td", "th", "body", "html")) {
      assertThat(count("<" + tag + "[ >]", html)).as(tag).isEqualTo(count("</" + tag + ">", html));
    }
  }

  private static long count(String regex, String text) {
    return Pattern.compile(regex).matcher(text).results().map(MatchResult::start).count();
  }
}
