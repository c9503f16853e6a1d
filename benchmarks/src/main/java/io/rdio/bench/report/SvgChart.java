// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A chart of lines over labels that are equally far from each other, as plain SVG: no library, no
 * script, no font but the reader's. Values that are far apart, and all above 0, have a logarithmic
 * axis.
 *
 * @param labels of what varies
 * @param lines by name; each as many values as labels, NaN where there is none
 */
public record SvgChart(
    String title, String x, String y, List<String> labels, Map<String, List<Double>> lines)
    implements Drawing {
  private static final int WIDTH = 760;
  private static final int HEIGHT = 340;
  private static final int LEFT = 70;
  private static final int RIGHT = 210;
  private static final int TOP = 34;
  private static final int BOTTOM = 60;
  private static final int LEGEND_LINE = 18;
  private static final int STEPS = 5;

  /** More labels than this are slanted, for they would run into each other. */
  private static final int LEVEL_LABELS = 8;

  /** Of the largest to the smallest value, from which the axis is logarithmic. */
  private static final double LOGARITHMIC_FROM = 50;

  /** Okabe and Ito's, told apart also by who cannot tell red from green. */
  static final List<String> COLORS =
      List.of(
          "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777", "#b8a800");

  private static final List<String> DASHES = List.of("", "6 3", "2 3");

  public SvgChart {
    labels = List.copyOf(labels);
    lines = Collections.unmodifiableMap(new LinkedHashMap<>(lines)); // in their order
  }

  /** The axis of the values. */
  private record Axis(double low, double high, boolean logarithmic) {
    /** Where a value is, from 0 at the bottom to 1. */
    double share(double value) {
      return logarithmic
          ? Math.log(value / low) / Math.log(high / low)
          : (value - low) / (high - low);
    }

    List<Double> ticks() {
      List<Double> ticks = new ArrayList<>();
      if (logarithmic) {
        for (int i = 0; i <= Math.round(Math.log10(high / low)); i++) {
          ticks.add(low * Math.pow(10, i));
        }
        return ticks;
      }
      double step = step(high - low);
      for (int i = 0; i <= Math.round((high - low) / step); i++) {
        ticks.add(low + i * step);
      }
      return ticks;
    }
  }

  /** One, two or five times a power of ten, of which about {@value #STEPS} make the range. */
  private static double step(double range) {
    double rough = range / STEPS;
    double power = Math.pow(10, Math.floor(Math.log10(rough)));
    double digit = rough / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  }

  private Axis axis() {
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    for (List<Double> values : lines.values()) {
      for (double value : values) {
        if (!Double.isNaN(value)) {
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
    }
    if (low > high) { // No value at all.
      return new Axis(0, 1, false);
    }
    if (low > 0 && high / low >= LOGARITHMIC_FROM) {
      return new Axis(
          Math.pow(10, Math.floor(Math.log10(low))),
          Math.pow(10, Math.ceil(Math.log10(high))),
          true);
    }
    low = Math.min(low, 0);
    high = Math.max(high, 0);
    double step = step(high > low ? high - low : 1);
    double bottom = Math.floor(low / step) * step;
    return new Axis(bottom, Math.max(Math.ceil(high / step) * step, bottom + step), false);
  }

  @Override
  public String svg() {
    Axis axis = axis();
    int height = Math.max(HEIGHT, TOP + LEGEND_LINE * (lines.size() + 1));
    StringBuilder svg = Svg.begin(WIDTH, height);
    Svg.text(svg, LEFT, TOP - 16, "start", title);
    Svg.text(svg, LEFT + plotWidth() / 2, HEIGHT - 8, "middle", x);
    svg.append(
        String.format(
            Locale.ROOT,
            "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>%n",
            TOP + plotHeight() / 2,
            Page.escape(y)));
    axis.ticks().forEach(tick -> tick(svg, axis, tick));
    for (int i = 0; i < labels.size(); i++) {
      label(svg, i);
    }
    int number = 0;
    for (Map.Entry<String, List<Double>> line : lines.entrySet()) {
      line(svg, axis, number++, line.getKey(), line.getValue());
    }
    return svg.append("</svg>\n").toString();
  }

  private void label(StringBuilder svg, int number) {
    int at = HEIGHT - BOTTOM + 18;
    if (labels.size() <= LEVEL_LABELS) {
      Svg.text(svg, xOf(number), at, "middle", labels.get(number));
      return;
    }
    svg.append(
        String.format(
            Locale.ROOT,
            "<text transform=\"translate(%d %d) rotate(-30)\" text-anchor=\"end\">%s</text>%n",
            xOf(number) + 6,
            at - 4,
            Page.escape(labels.get(number))));
  }

  private static void tick(StringBuilder svg, Axis axis, double value) {
    int at = yOf(axis, value);
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\"/>%n",
            LEFT,
            at,
            WIDTH - RIGHT,
            at,
            value == 0 ? "#888" : "#ddd"));
    Svg.text(svg, LEFT - 6, at + 4, "end", number(value));
  }

  private void line(StringBuilder svg, Axis axis, int number, String name, List<Double> values) {
    String color = COLORS.get(number % COLORS.size());
    String dash = DASHES.get(number / COLORS.size() % DASHES.size());
    StringBuilder path = new StringBuilder();
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < values.size(); i++) {
      double value = values.get(i);
      if (Double.isNaN(value)) {
        continue;
      }
      path.append(path.length() == 0 ? "M" : " L").append(xOf(i)).append(' ');
      path.append(yOf(axis, value));
      points.append(
          String.format(
              Locale.ROOT,
              "<circle cx=\"%d\" cy=\"%d\" r=\"3\" fill=\"%s\"><title>%s</title></circle>%n",
              xOf(i),
              yOf(axis, value),
              color,
              Page.escape(name + ", " + labels.get(i) + ": " + number(value))));
    }
    svg.append(
        String.format(
            Locale.ROOT,
            "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\""
                + " stroke-dasharray=\"%s\"/>%n",
            path,
            color,
            dash));
    svg.append(points);
    legend(svg, number, color, dash, name);
  }

  private static void legend(
      StringBuilder svg, int number, String color, String dash, String name) {
    int legend = TOP + number * LEGEND_LINE;
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\""
                + " stroke-dasharray=\"%s\"/>%n",
            WIDTH - RIGHT + 12,
            legend,
            WIDTH - RIGHT + 36,
            legend,
            color,
            dash));
    Svg.text(svg, WIDTH - RIGHT + 42, legend + 4, "start", name);
  }

  private static int plotWidth() {
    return WIDTH - LEFT - RIGHT;
  }

  private static int plotHeight() {
    return HEIGHT - TOP - BOTTOM;
  }

  private int xOf(int label) {
    double share = labels.size() == 1 ? 0.5 : (double) label / (labels.size() - 1);
    return LEFT + (int) Math.round(share * plotWidth());
  }

  private static int yOf(Axis axis, double value) {
    return HEIGHT - BOTTOM - (int) Math.round(axis.share(value) * plotHeight());
  }

  private static String number(double value) {
    double size = Math.abs(value);
    if (size < 1e-12) {
      return "0";
    }
    return String.format(Locale.ROOT, size >= 100 ? "%.0f" : size >= 1 ? "%.1f" : "%.3f", value);
  }
}
