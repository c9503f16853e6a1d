// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class SvgStackTest {
  private static final List<String> LABELS = List.of("4 KiB", "1 <MiB>");

  private static Document parsed(SvgStack stack) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(stack.svg())));
  }

  private static SvgStack stack(List<Double> open, List<Double> read) {
    Map<String, List<Double>> parts = new LinkedHashMap<>();
    parts.put("open", open);
    parts.put("read & <check>", read);
    return new SvgStack("a < b", "object size", "µs", LABELS, parts);
  }

  /** Of the parts of bars, from the left and from below. */
  private static List<Integer> numbers(SvgStack stack, String attribute) {
    return Pattern.compile("<rect [^>]*" + attribute + "=\"(\\d+)\"[^>]*><title>")
        .matcher(stack.svg())
        .results()
        .map(result -> Integer.valueOf(result.group(1)))
        .toList();
  }

  @Test
  void barsAreAsHighAsEachOtherWhateverTheirSums() {
    SvgStack stack = stack(List.of(10.0, 3000.0), List.of(30.0, 1000.0));
    List<Integer> heights = numbers(stack, "height");
    assertThat(heights).hasSize(4);
    assertThat(heights.get(0) + heights.get(1)).isEqualTo(heights.get(2) + heights.get(3));
    assertThat(heights.get(1)).isBetween(3 * heights.get(0) - 3, 3 * heights.get(0) + 3);
    List<Integer> tops = numbers(stack, "y");
    assertThat(tops.get(1)).isLessThan(tops.get(0));
    assertThat(tops.get(1)).isEqualTo(tops.get(3));
  }

  @Test
  void missingPartsAreLeftOut() {
    SvgStack stack = stack(List.of(Double.NaN, 5.0), List.of(7.0, 0.0));
    assertThat(numbers(stack, "height")).hasSize(2).allMatch(height -> height > 200);
  }

  @Test
  void textIsNoMarkupAndEachPartHasALegend() throws Exception {
    Document svg = parsed(stack(List.of(1.0, 2.0), List.of(3.0, 4.0)));
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("a < b", "read & <check>", "1 <MiB>", "share of µs, %", "3.0 of 4.0, 75 %");
  }

  @Test
  void nothingCanBeDrawn() throws Exception {
    SvgStack empty = new SvgStack("none", "", "", List.of(), Map.of());
    assertThat(parsed(empty).getElementsByTagName("rect").getLength()).isZero();
  }
}
