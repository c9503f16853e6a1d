// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.util.JsonSerialization;

/**
 * What a paper published of a figure: only what its authors gave as a number or said in a sentence.
 *
 * @param source where that is
 * @param panels numbers; none where there is only a plot
 * @param sayings what the shape is taken from, in our words
 */
record Published(String source, List<Panel> panels, List<String> sayings) {
  /** Instead of numbers. */
  static final String NO_NUMBERS = "Not published as a number: the ordering alone is compared.";

  Published {
    panels = List.copyOf(panels);
    sayings = List.copyOf(sayings);
  }

  /** Of a figure of which there is only a plot. */
  static Published plotOnly(String source, String... sayings) {
    return new Published(source, List.of(), List.of(sayings));
  }

  /**
   * With the numbers that a resource of this package has.
   *
   * @param resource of JSON: figures by number, each a list of what {@link Panel#fields} gives
   */
  static Published numbers(String resource, String figure, String source, String... sayings) {
    try (InputStream in =
        Objects.requireNonNull(Published.class.getResourceAsStream(resource), resource)) {
      String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      Map<?, ?> figures = new JsonSerialization<>(Map.class, false, false).fromJson(json);
      List<?> panels = (List<?>) Objects.requireNonNull(figures.get(figure), figure);
      return new Published(source, Measured.ofFields(panels).panels(), List.of(sayings));
    } catch (IOException e) {
      throw new UncheckedIOException("the resource " + resource, e);
    }
  }

  /** For JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("source", source);
    List<String> all = new ArrayList<>(sayings);
    if (panels.isEmpty()) {
      all.add(NO_NUMBERS);
    }
    fields.put("says", all);
    fields.put("panels", panels.stream().map(Panel::fields).toList());
    return fields;
  }
}
