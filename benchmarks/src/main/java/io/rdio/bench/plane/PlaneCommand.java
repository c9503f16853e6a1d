// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.Machine;
import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.util.JsonSerialization;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench plane}: its options, and the run. */
@Command(
    name = "plane",
    mixinStandardHelpOptions = true,
    description = {
      "The device metadata plane without HDFS: how late it finds a block that was committed, by the"
          + " journal and without, what a look at the journal costs, alone and for many readers,"
          + " and what opening a new file costs, by its steps.",
      "On ext4 on a loop device in memory, whose reads have no latency of their own. Needs root."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class PlaneCommand implements Callable<Integer> {
  @Option(names = "--rounds", paramLabel = "N", description = "Rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds = 5;

  @Option(
      names = "--readers",
      split = ",",
      defaultValue = "1,4,16,64",
      paramLabel = "N",
      description = "Readers that look at once, the first of them 1. Default: ${DEFAULT-VALUE}.")
  private List<Integer> readers;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Looks for each number of readers, in each round. Default: ${DEFAULT-VALUE}.")
  private double seconds = 0.5;

  @Option(
      names = "--wait",
      paramLabel = "S",
      description =
          "Time that a block is waited for at its home location. Default: ${DEFAULT-VALUE}.")
  private double wait = 10;

  @Option(
      names = "--latency",
      paramLabel = "MICROS",
      description = "What each read of the device waits besides. Default: ${DEFAULT-VALUE}.")
  private int latency;

  @Option(names = "--json", paramLabel = "FILE", description = "Also write all figures here.")
  private @Nullable Path json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try {
      check();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    PlaneBenchmark.Options options =
        new PlaneBenchmark.Options(rounds, readers, seconds, wait, latency);
    return ClusterCommand.run(() -> run(options, spec.commandLine().getOut()));
  }

  private void check() {
    Checks.requireOneOrMore("--rounds", rounds);
    readers.forEach(each -> Checks.requireOneOrMore("--readers", each));
    Checks.requirePositive("--seconds", seconds);
    Checks.requirePositive("--wait", wait);
    if (readers.get(0) != 1) {
      throw new IllegalArgumentException(
          "--readers " + readers.get(0) + ": the first must be 1, which the target is for");
    }
    if (latency < 0) {
      throw new IllegalArgumentException("--latency " + latency + ": must not be negative");
    }
    Path folder = json == null ? null : json.toAbsolutePath().getParent();
    if (json != null && (folder == null || !Files.isDirectory(folder))) {
      throw new IllegalArgumentException(
          "--json " + json + ": fix: name a file in a folder that exists");
    }
  }

  private int run(PlaneBenchmark.Options options, PrintWriter out) throws IOException {
    PlaneFindings findings = new PlaneBenchmark(options, out).run();
    Machine machine = Machine.here(Clock.systemUTC());
    out.printf(
        "%n%s%next4 on a loop device over tmpfs, read by the file behind it; each read waits %d µs"
            + " besides; rounds: %d%n%n%s",
        machine.describe(), latency, rounds, findings.text());
    out.flush();
    if (json != null) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("machine", machine.fields());
      fields.put("rounds", rounds);
      fields.put("latency_us", latency);
      fields.putAll(findings.fields());
      Files.writeString(
          json, new JsonSerialization<>(Map.class, false, true).toJson(fields) + "\n");
    }
    return findings.wrong().isEmpty() ? 0 : 1;
  }
}
