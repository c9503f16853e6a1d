// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/** Runs the parts that figures need, each once, and compares. For one thread. */
final class PapersRun {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final String LONG = "it takes too long for a quick run";

  private final FinishedParts finished;
  private final Path folder;
  private final List<Path> traces;
  private final boolean quick;
  private final LongSupplier nanoTime;
  private final PrintWriter progress;
  private final Map<String, Measured> results = new HashMap<>();
  private final Map<String, String> obstacles = new HashMap<>();
  private final Map<String, String> failures = new HashMap<>();

  /**
   * @param finished which parts need not be run again
   * @param folder for files of parts
   * @param traces folders with traces
   * @param quick whether the shape is all that is asked for
   * @param nanoTime such as {@link System#nanoTime}
   * @param progress is told what goes on
   */
  PapersRun(
      FinishedParts finished,
      Path folder,
      List<Path> traces,
      boolean quick,
      LongSupplier nanoTime,
      PrintWriter progress) {
    this.finished = finished;
    this.folder = folder;
    this.traces = List.copyOf(traces);
    this.quick = quick;
    this.nanoTime = nanoTime;
    this.progress = progress;
  }

  /**
   * Runs figures. A part that fails, in whatever way, takes its figures with it, and no other.
   *
   * @return what came of each, in their order
   * @throws IOException if what was measured cannot be kept
   */
  List<Verdict> run(List<Figure> figures) throws IOException {
    Set<Part> parts = new LinkedHashSet<>();
    figures.forEach(figure -> parts.addAll(figure.parts()));
    int number = 0;
    for (Part part : parts) {
      number++;
      progress.printf(
          "[%d/%d] %s, %d s at most: %s%n",
          number, parts.size(), part.name(), part.bound(quick).toSeconds(), part.runs(quick));
      progress.flush();
      run(part);
    }
    List<Verdict> verdicts = new ArrayList<>();
    figures.forEach(figure -> verdicts.add(verdict(figure)));
    return verdicts;
  }

  private void run(Part part) throws IOException {
    if (quick && !part.inQuick()) {
      leaveOut(part, LONG);
      return;
    }
    // Before it is asked what this machine cannot run: another one may have done it.
    Optional<Measured> before = finished.find(part, quick);
    if (before.isPresent()) {
      results.put(part.name(), before.get());
      say("done before");
      return;
    }
    String obstacle = part.obstacle();
    if (!obstacle.isEmpty()) {
      leaveOut(part, obstacle);
      return;
    }
    long start = nanoTime.getAsLong();
    Deadline deadline = new Deadline(part.bound(quick), nanoTime);
    Measured measured;
    try {
      measured = part.run(new Terms(quick, deadline, folder, traces));
    } catch (IOException | RuntimeException e) {
      // Of the latter the class says more than the message, which there may not be.
      String why = e instanceof IOException ? e.getMessage() : e.toString();
      failures.put(part.name(), part.name() + ": " + why);
      say("FAILED: " + why);
      return;
    }
    results.put(part.name(), measured);
    finished.save(part, quick, measured);
    say("done in " + (nanoTime.getAsLong() - start) / NANOS_PER_SECOND + " s");
  }

  private void leaveOut(Part part, String obstacle) {
    obstacles.put(part.name(), obstacle);
    say("not run: " + obstacle);
  }

  private void say(String what) {
    progress.println("      " + what);
    progress.flush();
  }

  private Verdict verdict(Figure figure) {
    if (!figure.notBuilt().isEmpty()) {
      return Verdict.notRun(figure, figure.notBuilt());
    }
    for (Part part : figure.parts()) {
      String failure = failures.get(part.name());
      if (failure != null) {
        return Verdict.failed(figure, failure);
      }
      String obstacle = obstacles.get(part.name());
      if (obstacle != null) {
        return Verdict.notRun(figure, obstacle);
      }
    }
    return figure.verdict(results);
  }
}
