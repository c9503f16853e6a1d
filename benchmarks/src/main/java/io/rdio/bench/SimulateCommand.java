// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench;

import io.rdio.bench.report.ChartFiles;
import io.rdio.bench.simulator.TraceReader;
import io.rdio.bench.simulator.TraceRun;
import io.rdio.bench.twolevel.TwoLevelRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code simulate}: the miss ratios of eviction policies on a trace, or what a storage node's cache
 * below a page cache is worth.
 */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    description =
        "Replays a trace of object ids against eviction policies and prints miss ratios; with"
            + " --two-level, hit ratios and traffic of a storage node's cache.")
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class SimulateCommand implements Callable<Integer> {
  @ArgGroup(multiplicity = "1")
  private Subject subject;

  /** What is simulated. */
  static final class Subject {
    @Option(
        names = "--trace",
        required = true,
        paramLabel = "FILE",
        description =
            "Trace: NAME.ids[.gz] (64-bit little-endian ids), text (an id per line), libCacheSim csv"
                + " or oracleGeneral, any of which may be gzipped; or NAME.jfr, a client's or an"
                + " agent's flight recording with io.rdio.FileMapRequest.")
    private @Nullable Path trace;

    @ArgGroup(exclusive = false)
    private @Nullable TwoLevelRun twoLevel;
  }

  @Option(
      names = "--policy",
      split = ",",
      paramLabel = "P",
      description =
          "Policies, comma-separated; all unless given: FIFO, LRU, CLOCK, SIEVE, 2Q, ARC,"
              + " LIRS, W-TinyLFU, S3-FIFO, S3-FIFO-D, S3-FIFO-W, Belady.")
  private @Nullable List<String> policies;

  @Option(
      names = "--against",
      paramLabel = "P",
      description =
          "Of --trace, print also how many more or fewer misses each policy has than this one.")
  private @Nullable String against;

  @Option(
      names = "--size",
      split = ",",
      paramLabel = "S",
      description =
          "Cache sizes: in objects, or in percent of the trace's different objects. Default:"
              + " 0.1%%,1%%,10%%.")
  private @Nullable List<String> sizes;

  @Option(
      names = "--format",
      paramLabel = "F",
      description = "Format of the trace, if not by its name: ${COMPLETION-CANDIDATES}.")
  private TraceReader.@Nullable Format format;

  @Option(
      names = "--id-column",
      paramLabel = "N",
      defaultValue = "0",
      description = "Column of the id in csv, from 1; by its heading unless given.")
  private int idColumn;

  @Option(names = "--csv", description = "Print comma-separated values instead of a table.")
  private boolean csv;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Draw the miss-ratio curves to a .png or .svg file.")
  private @Nullable Path plot;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try {
      simulate();
      return 0;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private void simulate() throws IOException {
    if (plot != null) {
      ChartFiles.checkName(plot);
    }
    PrintWriter out = spec.commandLine().getOut();
    if (subject.twoLevel != null) {
      if (against != null) {
        throw new IllegalArgumentException(
            "--against " + against + " compares misses on a --trace: leave it out of --two-level");
      }
      subject.twoLevel.run(policies, sizes, out, csv, plot);
    } else {
      PrintWriter err = spec.commandLine().getErr();
      new TraceRun(Objects.requireNonNull(subject.trace), format, idColumn, against)
          .run(policies, sizes, out, err, csv, plot);
    }
  }
}
