// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A bar for each label, of parts on top of each other, each as high as its share of their sum: so
 * bars can be compared whose sums are far apart. Plain SVG, as {@link SvgChart}.
 *
 * @param y what the values are, with their unit
 * @param labels of the bars
 * @param parts by name, from below; each as many values as labels, NaN where there is none, and
 *     none below 0
 */
public record SvgStack(
    String title, String x, String y, List<String> labels, Map<String, List<Double>> parts)
    implements Drawing {
  private static final int WIDTH = 760;
  private static final int HEIGHT = 340;
  private static final int LEFT = 70;
  private static final int RIGHT = 260;
  private static final int TOP = 34;
  private static final int BOTTOM = 60;
  private static final int PLOT_WIDTH = WIDTH - LEFT - RIGHT;
  private static final int PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;
  private static final int LEGEND_LINE = 18;
  private static final int SWATCH = 12;
  private static final int PERCENT = 100;
  private static final int TICK = 25;

  /** The part of a label's place that its bar has. */
  private static final double BAR = 0.6;

  public SvgStack {
    labels = List.copyOf(labels);
    parts = Collections.unmodifiableMap(new LinkedHashMap<>(parts)); // in their order
  }

  @Override
  public String svg() {
    int height = Math.max(HEIGHT, TOP + LEGEND_LINE * (parts.size() + 1));
    StringBuilder svg = Svg.begin(WIDTH, height);
    Svg.text(svg, LEFT, TOP - 16, "start", title);
    Svg.text(svg, LEFT + PLOT_WIDTH / 2, HEIGHT - 8, "middle", x);
    Svg.add(
        svg,
        "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>",
        TOP + PLOT_HEIGHT / 2,
        Page.escape("share of " + y + ", %"));
    for (int percent = 0; percent <= PERCENT; percent += TICK) {
      tick(svg, percent);
    }
    for (int i = 0; i < labels.size(); i++) {
      bar(svg, i);
    }
    int number = 0;
    for (String name : parts.keySet()) {
      legend(svg, number++, name);
    }
    return svg.append("</svg>\n").toString();
  }

  private static void tick(StringBuilder svg, int percent) {
    int at = yOf((double) percent / PERCENT);
    Svg.add(
        svg,
        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>",
        LEFT,
        at,
        WIDTH - RIGHT,
        at);
    Svg.text(svg, LEFT - 6, at + 4, "end", Integer.toString(percent));
  }

  private void bar(StringBuilder svg, int label) {
    double place = (double) PLOT_WIDTH / labels.size();
    int from = LEFT + (int) Math.round(place * (label + (1 - BAR) / 2));
    int width = (int) Math.max(1, Math.round(place * BAR));
    Svg.text(svg, from + width / 2, HEIGHT - BOTTOM + 18, "middle", labels.get(label));
    double sum = 0;
    for (List<Double> values : parts.values()) {
      sum += sizeOf(values.get(label));
    }
    double below = 0;
    int number = 0;
    for (Map.Entry<String, List<Double>> part : parts.entrySet()) {
      double size = sizeOf(part.getValue().get(label));
      String color = color(number++);
      if (size > 0) {
        int top = yOf((below + size) / sum);
        Svg.add(
            svg,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\">"
                + "<title>%s</title></rect>",
            from,
            top,
            width,
            yOf(below / sum) - top,
            color,
            Page.escape(name(part.getKey(), labels.get(label), size, sum)));
        below += size;
      }
    }
  }

  private static double sizeOf(double value) {
    return Double.isNaN(value) ? 0 : value;
  }

  private static String name(String part, String label, double size, double sum) {
    return String.format(
        Locale.ROOT, "%s, %s: %.1f of %.1f, %.0f %%", part, label, size, sum, PERCENT * size / sum);
  }

  private static void legend(StringBuilder svg, int number, String name) {
    int at = TOP + number * LEGEND_LINE;
    Svg.add(
        svg,
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>",
        WIDTH - RIGHT + 12,
        at - SWATCH / 2,
        SWATCH,
        SWATCH,
        color(number));
    Svg.text(svg, WIDTH - RIGHT + 30, at + 4, "start", name);
  }

  private static String color(int number) {
    return SvgChart.COLORS.get(number % SvgChart.COLORS.size());
  }

  private static int yOf(double share) {
    return HEIGHT - BOTTOM - (int) Math.round(share * PLOT_HEIGHT);
  }
}
