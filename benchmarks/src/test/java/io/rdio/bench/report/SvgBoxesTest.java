// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class SvgBoxesTest {
  private static Document parsed(Map<String, List<Double>> groups) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(new SvgBoxes("a & b", "<µs>", groups).svg())));
  }

  private static int left(Document svg, int box) {
    return Integer.parseInt(
        ((Element) svg.getElementsByTagName("rect").item(box)).getAttribute("x"));
  }

  @Test
  void eachGroupHasABoxAndLargerOnesAreFurtherRight() throws Exception {
    Map<String, List<Double>> groups = new LinkedHashMap<>();
    groups.put("<few>", List.of(1.0, 2.0, 3.0));
    groups.put("many", List.of(100.0, 200.0, 300.0));
    Document svg = parsed(groups);
    assertThat(svg.getElementsByTagName("rect").getLength()).isEqualTo(2);
    assertThat(left(svg, 1)).isGreaterThan(left(svg, 0));
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("a & b", "<µs>", "<few>: median 2");
  }

  @Test
  void quantilesAreInterpolated() {
    double[] sorted = {1, 2, 3, 4};
    assertThat(SvgBoxes.quantile(sorted, 0.25)).isCloseTo(1.75, within(1e-9));
    assertThat(SvgBoxes.quantile(sorted, 1)).isEqualTo(4);
    assertThat(SvgBoxes.quantile(new double[] {5}, 0.5)).isEqualTo(5);
  }

  @Test
  void nothingCanBeDrawn() throws Exception {
    assertThat(parsed(Map.of("none", List.of())).getElementsByTagName("rect").getLength()).isZero();
  }
}
