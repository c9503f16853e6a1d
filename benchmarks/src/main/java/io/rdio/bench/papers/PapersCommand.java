// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.hdfs.Machine;
import io.rdio.hdfs.cli.RootRights;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench papers}: its options, and the run. */
@Command(
    name = "papers",
    mixinStandardHelpOptions = true,
    description = {
      "Runs the papers' figures again and sets ours beside theirs: RDIO, EXT4-oF, S3-FIFO, BNEX,"
          + " I/O characterization.",
      "Exits with 1 if a figure that was run has not the paper's shape (orderings and signs) though"
          + " it should have, or if something failed. What this machine cannot run is listed with"
          + " the reason. Most figures need root."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class PapersCommand implements Callable<Integer> {
  @Option(
      names = "--only",
      split = ",",
      paramLabel = "FIGURE",
      description =
          "Only these: ids such as rdio-3a, each of one figure, or what ids begin with, such as"
              + " s3fifo. Default: all.")
  private List<String> only = List.of();

  @Option(names = "--list", description = "List the figures, and run none.")
  private boolean list;

  @Option(
      names = "--quick",
      description = "Run so little that the shape can be seen: 15 minutes at most.")
  private boolean quick;

  @Option(
      names = "--resume",
      description = "Keep what finished parts of an earlier run on this machine left in --store.")
  private boolean resume;

  @Option(
      names = "--any-machine",
      description =
          "With --resume: also keep what finished parts left on another machine; their figures"
              + " name it.")
  private boolean anyMachine;

  @Option(
      names = "--store",
      paramLabel = "FOLDER",
      description =
          "Where finished parts and logs are kept. Default: rdio-papers for temporary files.")
  private Path store = Path.of(System.getProperty("java.io.tmpdir"), "rdio-papers");

  @Option(
      names = "--traces",
      split = ",",
      paramLabel = "FOLDER",
      description =
          "Folders with cache traces, as 'simulate' reads them. Default: the checkout's own, and"
              + " shared/cache beside the checkout.")
  private List<Path> traces = List.of();

  @Option(names = "--json", paramLabel = "FILE", description = "Also write all figures here.")
  private @Nullable Path json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write a page with figures and charts here.")
  private @Nullable Path html;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    List<Figure> figures;
    try {
      figures = Catalogue.select(only);
      requireFolder("--json", json);
      requireFolder("--html", html);
      if (anyMachine && !resume) {
        throw new IllegalArgumentException(
            "--any-machine: is of what --resume keeps; fix: give both");
      }
      for (Path folder : traces) {
        if (!Files.isDirectory(folder)) {
          throw new IllegalArgumentException("--traces " + folder + ": there is no such folder");
        }
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    if (list) {
      list(figures);
      return 0;
    }
    if (needsRoot(figures) && !isRoot()) {
      return RootRights.missing("figures of clusters need root, for loop devices and mounts");
    }
    return run(figures);
  }

  /** After an hour of measuring it would be too late. */
  private static void requireFolder(String option, @Nullable Path file) {
    Path folder = file == null ? null : file.toAbsolutePath().getParent();
    if (file != null && (folder == null || !Files.isDirectory(folder))) {
      throw new IllegalArgumentException(
          option + " " + file + ": fix: name a file in a folder that exists");
    }
  }

  private void list(List<Figure> figures) {
    PrintWriter out = spec.commandLine().getOut();
    for (Figure figure : figures) {
      String parts =
          figure.notBuilt().isEmpty()
              ? String.join(", ", figure.parts().stream().map(Part::name).toList())
              : "not run: " + figure.notBuilt();
      out.printf("%-22s %s [%s]%n", figure.id(), figure.title(), parts);
    }
    out.flush();
  }

  private static boolean needsRoot(List<Figure> figures) {
    return figures.stream().flatMap(figure -> figure.parts().stream()).anyMatch(Part::needsRoot);
  }

  private static boolean isRoot() throws IOException {
    return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
  }

  private int run(List<Figure> figures) throws IOException {
    Files.createDirectories(store);
    FinishedParts finished = new FinishedParts(store, Machine.here(Clock.systemUTC()), anyMachine);
    if (!resume) {
      finished.clear();
    }
    PrintWriter out = spec.commandLine().getOut();
    List<Path> folders = traces.isEmpty() ? PaperTraces.defaultFolders() : traces;
    PapersRun run = new PapersRun(finished, store, folders, quick, System::nanoTime, out);
    List<Verdict> verdicts = run.run(figures);
    PapersReport report =
        new PapersReport(typed(), Machine.here(Clock.systemUTC()), quick, verdicts);
    out.print(report.text());
    out.flush();
    if (json != null) {
      Files.writeString(json, report.json());
    }
    if (html != null) {
      Files.writeString(html, report.html());
    }
    return verdicts.stream().anyMatch(Verdict::isBad) ? 1 : 0;
  }

  /** As the user typed it. */
  private String typed() {
    List<String> words = new ArrayList<>(List.of("bin/rdio bench"));
    words.addAll(spec.root().commandLine().getParseResult().originalArgs());
    return String.join(" ", words);
  }
}
