// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Box plots below each other on a logarithmic axis: from the least to the most value a line, from
 * the first quartile to the third a box, the median a stroke.
 *
 * @param x what the values are
 * @param groups by name, in the order in which they are shown; values above 0
 */
public record SvgBoxes(String title, String x, Map<String, List<Double>> groups)
    implements Drawing {
  private static final int WIDTH = 760;
  private static final int LEFT = 300;
  private static final int RIGHT = 20;
  private static final int TOP = 34;
  private static final int BOTTOM = 44;
  private static final int ROW = 20;
  private static final int HALF_BOX = 6;

  public SvgBoxes {
    groups = Collections.unmodifiableMap(new LinkedHashMap<>(groups)); // in their order
  }

  @Override
  public String svg() {
    double[] all =
        groups.values().stream()
            .flatMap(List::stream)
            .mapToDouble(Double::doubleValue)
            .filter(value -> value > 0)
            .sorted()
            .toArray();
    double low = all.length == 0 ? 1 : Math.pow(10, Math.floor(Math.log10(all[0])));
    double high = all.length == 0 ? 10 : Math.pow(10, Math.ceil(Math.log10(all[all.length - 1])));
    Scale scale = new Scale(low, high > low ? high : low * 10);
    int height = TOP + ROW * groups.size() + BOTTOM;
    StringBuilder svg = Svg.begin(WIDTH, height);
    Svg.text(svg, 0, TOP - 16, "start", title);
    Svg.text(svg, (LEFT + WIDTH - RIGHT) / 2, height - 8, "middle", x);
    for (int i = 0; i <= Math.round(Math.log10(scale.high / scale.low)); i++) {
      double tick = scale.low * Math.pow(10, i);
      int at = scale.at(tick);
      Svg.add(
          svg,
          "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>",
          at,
          TOP,
          at,
          height - BOTTOM);
      Svg.text(svg, at, height - BOTTOM + 16, "middle", number(tick));
    }
    int row = 0;
    for (Map.Entry<String, List<Double>> group : groups.entrySet()) {
      box(svg, scale, TOP + ROW * row++ + ROW / 2, group.getKey(), group.getValue());
    }
    return svg.append("</svg>\n").toString();
  }

  private record Scale(double low, double high) {
    int at(double value) {
      double share = Math.log(value / low) / Math.log(high / low);
      return LEFT + (int) Math.round(share * (WIDTH - LEFT - RIGHT));
    }
  }

  private static void box(
      StringBuilder svg, Scale scale, int middle, String name, List<Double> values) {
    Svg.text(svg, LEFT - 8, middle + 4, "end", name);
    double[] sorted =
        values.stream().mapToDouble(Double::doubleValue).filter(value -> value > 0).toArray();
    if (sorted.length == 0) {
      return;
    }
    Arrays.sort(sorted);
    Svg.add(
        svg,
        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#444\"/>",
        scale.at(sorted[0]),
        middle,
        scale.at(sorted[sorted.length - 1]),
        middle);
    int from = scale.at(quantile(sorted, 0.25));
    int to = scale.at(quantile(sorted, 0.75));
    Svg.add(
        svg,
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#9ec9e8\" stroke=\"#0072b2\">"
            + "<title>%s</title></rect>",
        from,
        middle - HALF_BOX,
        Math.max(1, to - from),
        2 * HALF_BOX,
        Page.escape(name + ": median " + number(quantile(sorted, 0.5))));
    int median = scale.at(quantile(sorted, 0.5));
    Svg.add(
        svg,
        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#0072b2\" stroke-width=\"2\"/>",
        median,
        middle - HALF_BOX,
        median,
        middle + HALF_BOX);
  }

  /** Interpolated between its neighbours. */
  static double quantile(double[] sorted, double share) {
    double at = (sorted.length - 1) * share;
    int below = (int) at;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value >= 10 ? "%.0f" : "%.3g", value);
  }
}
