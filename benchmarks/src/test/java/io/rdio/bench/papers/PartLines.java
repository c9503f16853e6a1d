// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.stream.Stream;

/** The command lines of all parts. */
public final class PartLines {
  private PartLines() {}

  /** Of whole runs and of quick ones. */
  public static Stream<String> all() {
    return Catalogue.all().stream()
        .flatMap(figure -> figure.parts().stream())
        .distinct()
        .filter(CommandPart.class::isInstance)
        .map(CommandPart.class::cast)
        .filter(part -> !part.obstacle().startsWith("there is no command"))
        .flatMap(part -> Stream.of(part.line(), part.quickLine()))
        .filter(line -> !line.isEmpty());
  }
}
