// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.List;

/** Tables of the I/O characterization paper. */
final class CharacterizationFigures {
  private static final String NOT_BUILT =
      "there is no command for its factorial experiment (device placement × scheduler × tasks ×"
          + " pattern × operation) yet";

  private CharacterizationFigures() {}

  static List<Figure> all() {
    return List.of(
        table("1", "average latency, data and metadata on the slow device"),
        table("2", "average latency, metadata on the fast device"),
        table("3", "average latency, data and metadata on the fast device"));
  }

  private static Figure table(String number, String title) {
    return Figure.of(
            Paper.CHARACTERIZATION,
            number,
            title,
            Published.plotOnly("the paper's tables 1 to 3, which were not to be had here"))
        .cannotRun(NOT_BUILT);
  }
}
