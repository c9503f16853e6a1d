// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import java.util.Locale;

/** What all drawings of this package are put together from. */
final class Svg {
  private Svg() {}

  /** Begins a picture of so many pixels, which {@code </svg>} ends. */
  static StringBuilder begin(int width, int height) {
    StringBuilder svg = new StringBuilder();
    add(
        svg,
        "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\""
            + " font-family=\"sans-serif\" font-size=\"12\">",
        width,
        height,
        width,
        height);
    return svg;
  }

  /** Adds a text, of which nothing is taken for markup. */
  static void text(StringBuilder svg, int x, int y, String anchor, String text) {
    add(
        svg,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>",
        x,
        y,
        anchor,
        Page.escape(text));
  }

  /** Adds an element. */
  static void add(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
