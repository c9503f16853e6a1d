// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All figures, in the order in which they are run and shown. */
final class Catalogue {
  private Catalogue() {}

  static List<Figure> all() {
    return Stream.of(
            S3FifoFigures.all(),
            RdioFigures.all(),
            BnexFigures.all(),
            KtracerFigures.all(),
            Ext4OfFigures.all(),
            CharacterizationFigures.all())
        .flatMap(List::stream)
        .toList();
  }

  /**
   * Some figures.
   *
   * @param names ids, each of one figure alone, or what ids begin with, which a hyphen or a letter
   *     follows; none for all
   * @throws IllegalArgumentException if there is nothing of a name
   */
  static List<Figure> select(List<String> names) {
    List<Figure> all = all();
    if (names.isEmpty()) {
      return all;
    }
    List<Figure> selected = new ArrayList<>();
    for (String name : names) {
      boolean isId = all.stream().anyMatch(figure -> figure.id().equals(name));
      List<Figure> found =
          all.stream()
              .filter(figure -> isId ? figure.id().equals(name) : isOf(figure.id(), name))
              .toList();
      if (found.isEmpty()) {
        throw new IllegalArgumentException(
            "--only "
                + name
                + ": there is no such figure; there are "
                + String.join(", ", all.stream().map(Figure::id).toList()));
      }
      selected.addAll(found);
    }
    return all.stream().filter(selected::contains).toList();
  }

  /** So that {@code s3fifo-1} is not {@code s3fifo-10}, but {@code rdio-3} is {@code rdio-3a}. */
  private static boolean isOf(String id, String name) {
    return id.startsWith(name) && !Character.isDigit(id.charAt(name.length()));
  }
}
