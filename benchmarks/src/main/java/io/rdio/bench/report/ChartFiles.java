// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.internal.chartpart.IChart;

/** Charts as .png and .svg files. */
public final class ChartFiles {
  private static final Set<String> FORMATS = Set.of("png", "svg");

  private ChartFiles() {}

  /** Refuses a file whose name ends neither in .png nor in .svg. */
  public static void checkName(Path file) {
    if (!FORMATS.contains(format(file))) {
      throw new IllegalArgumentException(
          "cannot draw to " + file + ": its name must end in .png or .svg");
    }
  }

  /** Draws a chart. */
  public static void save(IChart chart, Path file) throws IOException {
    if (format(file).equals("svg")) {
      Files.writeString(file, svg(chart));
    } else {
      Files.write(file, image(chart, format(file)));
    }
  }

  /**
   * A chart in which the outlines of letters, most of such a text, are no finer than a hundredth of
   * a pixel.
   */
  static String svg(IChart chart) throws IOException {
    String svg = new String(image(chart, "svg"), StandardCharsets.UTF_8);
    return svg.replaceAll("(\\.\\d\\d)\\d+", "$1");
  }

  private static byte[] image(IChart chart, String format) throws IOException {
    System.setProperty("java.awt.headless", "true");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ChartEncoder.saveChart(chart, out, format);
    return out.toByteArray();
  }

  private static String format(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
