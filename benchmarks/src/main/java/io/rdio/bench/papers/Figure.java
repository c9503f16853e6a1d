// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A figure or table of a paper, and how it is run again. Immutable. */
final class Figure {
  private final String id;
  private final Paper paper;
  private final String title;
  private final List<Source> sources;
  private final List<Ratio> ratios;
  private final Published published;
  private final List<Check> checks;
  private final List<String> differs;
  private final String notBuilt;

  /**
   * Panels of what a part measured.
   *
   * @param panels their titles
   */
  private record Source(Part part, List<String> panels) {}

  private Figure(Builder from) {
    this.id = from.id;
    this.paper = from.paper;
    this.title = from.title;
    this.sources = List.copyOf(from.sources);
    this.ratios = List.copyOf(from.ratios);
    this.published = from.published;
    this.checks = List.copyOf(from.checks);
    this.differs = List.copyOf(from.differs);
    this.notBuilt = from.notBuilt;
    if (sources.isEmpty() == notBuilt.isEmpty()) {
      throw new IllegalStateException(id + " needs parts, or a reason for having none");
    }
    if (sources.isEmpty() != checks.isEmpty()) {
      throw new IllegalStateException(id + " has parts and no shape, or a shape and no parts");
    }
  }

  /** Begins one. */
  static Builder of(Paper paper, String number, String title, Published published) {
    return new Builder(paper, paper.prefix() + "-" + number, title, published);
  }

  /** Says what a figure is; of one thread. */
  static final class Builder {
    private final Paper paper;
    private final String id;
    private final String title;
    private final Published published;
    private final List<Source> sources = new ArrayList<>();
    private final List<Ratio> ratios = new ArrayList<>();
    private final List<Check> checks = new ArrayList<>();
    private final List<String> differs = new ArrayList<>();
    private String notBuilt = "";

    private Builder(Paper paper, String id, String title, Published published) {
      this.paper = paper;
      this.id = id;
      this.title = title;
      this.published = published;
    }

    /** Shows these panels of a part; what several parts have of a panel is shown as one. */
    Builder shows(Part part, String... panels) {
      sources.add(new Source(part, List.of(panels)));
      return this;
    }

    /** Shows besides, of a panel that it shows, one line in times of another. */
    Builder divides(String title, String panel, String line, String of) {
      ratios.add(new Ratio(title, panel, line, of));
      return this;
    }

    /** Has this in its shape. */
    Builder expects(Check check) {
      checks.add(check);
      return this;
    }

    /** Is not like the paper's in this, whatever comes out. */
    Builder differs(String what) {
      differs.add(what);
      return this;
    }

    /** Cannot be run yet, on any machine. */
    Figure cannotRun(String reason) {
      notBuilt = reason;
      return new Figure(this);
    }

    Figure build() {
      return new Figure(this);
    }
  }

  /** Such as {@code rdio-3a}. */
  String id() {
    return id;
  }

  Paper paper() {
    return paper;
  }

  String title() {
    return title;
  }

  Published published() {
    return published;
  }

  /** In what it is not like the paper's, whatever comes out. */
  List<String> differs() {
    return differs;
  }

  /** What is run for it; nothing for one that cannot be run. */
  List<Part> parts() {
    return sources.stream().map(Source::part).distinct().toList();
  }

  /** Why no machine can run it yet; empty if it can be run. */
  String notBuilt() {
    return notBuilt;
  }

  /**
   * Compares what was measured with the paper.
   *
   * @param results of all of its {@link #parts}, by name
   */
  Verdict verdict(Map<String, Measured> results) {
    Measured ours = ours(results);
    List<String> unexpected = new ArrayList<>();
    List<String> known = new ArrayList<>();
    for (Check check : checks) {
      String wrong = check.rule().wrong(ours);
      if (!wrong.isEmpty()) {
        String text = check.says() + ": no, " + wrong;
        if (check.known().isEmpty()) {
          unexpected.add(text);
        } else {
          known.add(text + "; known: " + check.known());
        }
      }
    }
    return Verdict.of(this, ours, unexpected, known);
  }

  private Measured ours(Map<String, Measured> results) {
    Map<String, Panel> panels = new LinkedHashMap<>();
    Set<String> elsewhere = new LinkedHashSet<>();
    for (Source source : sources) {
      Measured part = results.get(source.part().name());
      if (part == null) {
        throw new IllegalArgumentException(id + " has no results of " + source.part().name());
      }
      for (String name : source.panels()) {
        part.panel(name).ifPresent(panel -> panels.merge(name, panel, Panel::with));
      }
      if (!part.elsewhere().isEmpty()) {
        elsewhere.add(source.part().name() + " on " + part.elsewhere());
      }
    }
    for (Ratio ratio : ratios) {
      Panel measured = panels.get(ratio.panel());
      Panel times = measured == null ? null : ratio.in(measured);
      if (times != null && !times.lines().isEmpty()) {
        panels.merge(ratio.title(), times, Panel::with);
      }
    }
    return new Measured(List.copyOf(panels.values()), String.join("; ", elsewhere));
  }
}
