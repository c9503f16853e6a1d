// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.resilience;

import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.report.ChartFiles;
import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.util.JsonSerialization;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench resilience}: its options, and the run. */
@Command(
    name = "resilience",
    mixinStandardHelpOptions = true,
    description = {
      "Erasure-coded files while one DataNode after the other is killed: throughput of stock HDFS,"
          + " which decodes and then fails, and of RDIO, which reads what is on the devices, with"
          + " more and less of the maps cached. Figure 5b of the RDIO paper.",
      "On a throwaway cluster on this machine. Needs root."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class ResilienceCommand implements Callable<Integer> {
  private static final String STOCK = "stock";
  private static final List<Integer> PERCENTS = List.of(0, 25, 50, 75, 100);
  private static final int PERCENT = 100;

  @Option(
      names = "--policy",
      paramLabel = "POLICY",
      description = "Erasure-coding policy; Reed-Solomon. Default: ${DEFAULT-VALUE}.")
  private String policy = "RS-3-2-1024k";

  @Option(
      names = "--objects",
      paramLabel = "N",
      description = "Files, a group each. Default: ${DEFAULT-VALUE}.")
  private int objects = 16;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "Size of a file. Default: ${DEFAULT-VALUE}.")
  private String size = "12m";

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds = 3;

  @Option(names = "--json", paramLabel = "FILE", description = "Also write all figures here.")
  private @Nullable Path json;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Draw the throughput against dead DataNodes to a .png or .svg file.")
  private @Nullable Path plot;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    ErasureCodingPolicy coding;
    long bytes;
    try {
      coding = coding();
      Checks.requireOneOrMore("--objects", objects);
      Checks.requireOneOrMore("--rounds", rounds);
      bytes = Sizes.parse(size);
      if (plot != null) {
        ChartFiles.checkName(plot);
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return ClusterCommand.run(() -> run(coding, bytes, System.out));
  }

  private ErasureCodingPolicy coding() {
    ErasureCodingPolicy found = SystemErasureCodingPolicies.getByName(policy);
    if (found == null || !found.getCodecName().equals("rs")) {
      throw new IllegalArgumentException(
          "--policy " + policy + ": take RS-3-2-1024k, RS-6-3-1024k or RS-10-4-1024k");
    }
    return found;
  }

  private int run(ErasureCodingPolicy coding, long bytes, PrintStream out) throws IOException {
    int dataNodes = coding.getNumDataUnits() + coding.getNumParityUnits();
    out.printf(
        "Starting a NameNode and %d DataNodes, writing %d files of %s...%n",
        dataNodes, objects, Sizes.label(bytes));
    List<Reading> ways = ways();
    ResilienceFindings findings =
        new ResilienceFindings(STOCK, ways.stream().map(Reading::name).toList());
    try (StripedCluster cluster = new StripedCluster(coding, objects, bytes)) {
      out.println("Warming up...");
      for (Reading way : ways) {
        cluster.read(way.warm());
      }
      for (int dead = 0; dead <= dataNodes; dead++) {
        if (dead > 0) {
          cluster.kill(dead - 1);
        }
        out.printf("%d of %d DataNodes dead...%n", dead, dataNodes);
        measure(cluster, dead, ways, findings);
      }
      out.println("Removing the cluster...");
    }
    out.printf(
        "%n%s%n%s, %d files of %s, ext4 on loop devices over tmpfs, page cache cold, rounds: %d%n%n%s",
        Machine.here(Clock.systemUTC()).describe(),
        policy,
        objects,
        Sizes.label(bytes),
        rounds,
        findings.text());
    save(findings);
    return findings.wrong().isEmpty() ? 0 : 1;
  }

  private void save(ResilienceFindings findings) throws IOException {
    if (json != null) {
      Files.writeString(
          json, new JsonSerialization<>(Map.class, false, true).toJson(findings.fields()) + "\n");
    }
    if (plot != null) {
      ResilienceChart chart = new ResilienceChart(policy);
      findings.draw(chart);
      chart.save(plot);
    }
  }

  /** Another way begins each round, so that none always comes behind the same one. */
  private void measure(
      StripedCluster cluster, int dead, List<Reading> ways, ResilienceFindings findings)
      throws IOException {
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < ways.size(); i++) {
        Reading way = ways.get((i + round) % ways.size());
        findings.add(dead, way.name(), cluster.read(way.warm()));
      }
    }
  }

  /**
   * How all files are read.
   *
   * @param warm as {@link StripedCluster#read} has it
   */
  private record Reading(String name, int warm) {}

  private List<Reading> ways() {
    List<Reading> ways = new ArrayList<>(List.of(new Reading(STOCK, ResilienceReader.STOCK)));
    for (int percent : PERCENTS) {
      ways.add(new Reading("rdio " + percent + " %", objects * percent / PERCENT));
    }
    return ways;
  }
}
