// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class SvgChartTest {
  private static Document parsed(SvgChart chart) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(chart.svg())));
  }

  private static SvgChart chart(Map<String, List<Double>> lines, int labels) {
    return new SvgChart(
        "a < b & \"c\"",
        "threads",
        "MB/s",
        IntStream.range(0, labels).mapToObj(i -> "l" + i).toList(),
        lines);
  }

  private static List<Integer> heights(SvgChart chart) {
    return Pattern.compile("<circle cx=\"\\d+\" cy=\"(-?\\d+)\"")
        .matcher(chart.svg())
        .results()
        .map(result -> Integer.valueOf(result.group(1)))
        .toList();
  }

  @Test
  void textIsNoMarkup() throws Exception {
    Document svg = parsed(chart(Map.of("<script>alert(1)</script>", List.of(1.0)), 1));
    assertThat(svg.getElementsByTagName("script").getLength()).isZero();
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("a < b & \"c\"", "<script>alert(1)</script>");
  }

  @Test
  void eachLineHasAPathAndALegend() throws Exception {
    Map<String, List<Double>> lines = new LinkedHashMap<>();
    for (int i = 0; i < 10; i++) {
      lines.put("line " + i, List.of(1.0 + i, 2.0 + i));
    }
    Document svg = parsed(chart(lines, 2));
    assertThat(svg.getElementsByTagName("path").getLength()).isEqualTo(10);
    assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(20);
    assertThat(svg.getDocumentElement().getTextContent()).contains("line 0", "line 9", "l0", "l1");
  }

  @Test
  void largerIsHigherAndMissingValuesAreLeftOut() {
    List<Integer> heights = heights(chart(Map.of("a", List.of(-1.0, Double.NaN, 0.0, 3.0)), 4));
    assertThat(heights).hasSize(3);
    assertThat(heights.get(0)).isGreaterThan(heights.get(1));
    assertThat(heights.get(1)).isGreaterThan(heights.get(2));
  }

  @Test
  void valuesFarApartHaveALogarithmicAxis() {
    List<Integer> heights = heights(chart(Map.of("a", List.of(1.0, 10.0, 100.0)), 3));
    assertThat(heights.get(0) - heights.get(1)).isEqualTo(heights.get(1) - heights.get(2));
  }

  @Test
  void nothingAndZerosCanBeDrawn() throws Exception {
    assertThat(parsed(chart(Map.of(), 0)).getElementsByTagName("path").getLength()).isZero();
    assertThat(heights(chart(Map.of("a", List.of(0.0, 0.0)), 2))).hasSize(2);
  }
}
