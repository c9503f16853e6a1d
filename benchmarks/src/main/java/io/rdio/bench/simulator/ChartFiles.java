// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

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
  static void checkName(Path file) {
    if (!FORMATS.contains(format(file))) {
      throw new IllegalArgumentException(
          "cannot draw to " + file + ": its name must end in .png or .svg");
    }
  }

  /**
   * Draws a chart; in an .svg the outlines of letters, most of such a file, are no finer than a
   * hundredth of a pixel.
   */
  public static void save(IChart chart, Path file) throws IOException {
    System.setProperty("java.awt.headless", "true");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ChartEncoder.saveChart(chart, out, format(file));
    byte[] image = out.toByteArray();
    if (format(file).equals("svg")) {
      String svg = new String(image, StandardCharsets.UTF_8);
      image = svg.replaceAll("(\\.\\d\\d)\\d+", "$1").getBytes(StandardCharsets.UTF_8);
    }
    Files.write(file, image);
  }

  private static String format(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
