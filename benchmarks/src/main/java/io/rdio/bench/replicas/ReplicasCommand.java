// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.replicas;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.replicas.LimitedDevices.Way;
import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Clock;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench replicas}: its options, and the run. */
@Command(
    name = "replicas",
    mixinStandardHelpOptions = true,
    description = {
      "A file whose blocks have a replica on each of several devices, which the kernel holds to a"
          + " rate: read by one replica of each block, and by all of them at once"
          + " (dfs.client.rdio.routing = adaptive). With --sent or --link the DataNodes have it in"
          + " their page caches: by stock HDFS, by one replica's device, and by all of them and the"
          + " DataNodes.",
      "On a throwaway cluster on this machine. Needs root and the blkio controller, version 1."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class ReplicasCommand implements Callable<Integer> {
  @Option(
      names = "--rates",
      paramLabel = "RATES",
      description = "Bytes a second of each device. Default: ${DEFAULT-VALUE}.")
  private String rates = "100m,100m,100m";

  @Option(
      names = "--sent",
      paramLabel = "RATE",
      description =
          "Bytes a second that a DataNode sends, from its page cache. Default: no bound,"
              + " and nothing is in the page caches.")
  private String sent = "0";

  @Option(
      names = "--link",
      paramLabel = "RATE",
      description =
          "Bytes a second that all DataNodes send together, from their page caches: the rate of the"
              + " loopback link, in a network namespace of its own (ip, tc). Default: no bound.")
  private String link = "0";

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "Size of the file. Default: ${DEFAULT-VALUE}.")
  private String size = "384m";

  @Option(
      names = "--sizes",
      paramLabel = "SIZES",
      description = "Sizes of positional reads. Default: ${DEFAULT-VALUE}.")
  private String sizes = "64k,1m";

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads of positional reads. Default: ${DEFAULT-VALUE}.")
  private int threads = 8;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Seconds of positional reads. Default: ${DEFAULT-VALUE}.")
  private double seconds = 3;

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds = 5;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Limits limits;
    List<Integer> reads;
    long bytes;
    try {
      List<Long> devices = Stream.of(rates.split(",")).map(Sizes::parse).toList();
      limits = new Limits(devices, bound(sent), bound(link));
      reads = Sizes.parseReads(sizes);
      bytes = Sizes.parse(size);
      Checks.requireOneOrMore("--rounds", rounds);
      Checks.requireOneOrMore("--threads", threads);
      Checks.requirePositive("--seconds", seconds);
      for (long rate : devices) {
        Checks.requirePositive("--rates", (double) rate);
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return ClusterCommand.run(
        () ->
            limits.link() > 0 && !SlowLink.isHere()
                ? SlowLink.runAgain(limits.link())
                : run(limits, reads, bytes, System.out));
  }

  private static long bound(String rate) {
    return rate.equals("0") ? 0 : Sizes.parse(rate);
  }

  private int run(Limits limits, List<Integer> reads, long bytes, PrintStream out)
      throws IOException {
    out.printf(
        "Starting a NameNode and %d DataNodes, writing a file of %s...%n",
        limits.devices().size(), Sizes.label(bytes));
    ReplicasFindings findings = new ReplicasFindings(ways(limits));
    try (LimitedDevices devices = new LimitedDevices(findings.ways(), limits, bytes)) {
      for (int round = 0; round <= rounds; round++) {
        out.println(round == 0 ? "Warming up..." : "Round " + round + " of " + rounds + "...");
        add(round, "from start to end", devices, run(), findings);
        for (int read : reads) {
          Task task =
              Task.positional(
                  List.of(LimitedDevices.FILE), threads, List.of(read), 0, seconds, round);
          add(round, Sizes.label(read) + ", " + threads + " threads", devices, task, findings);
        }
      }
      out.println("Removing the cluster...");
    }
    out.printf(
        "%n%s%na file of %s, devices of %s a second, ext4 on loop devices over tmpfs, CRCs checked,"
            + " page cache %s, rounds: %d%n%n%s",
        Machine.here(Clock.systemUTC()).describe(),
        Sizes.label(bytes),
        String.join(", ", limits.devices().stream().map(Sizes::label).toList()),
        limits.pageCache(),
        rounds,
        findings.text());
    return 0;
  }

  private static List<Way> ways(Limits limits) {
    return limits.isCacheWarm() ? List.of(Way.STOCK, Way.ONE, Way.ALL) : List.of(Way.ONE, Way.ALL);
  }

  private static Task run() {
    return Task.sequential(List.of(LimitedDevices.FILE));
  }

  /** The other way begins each round, so that neither always comes behind. */
  private static void add(
      int round, String name, LimitedDevices devices, Task task, ReplicasFindings findings)
      throws IOException {
    Map<Way, Answer> answers = new EnumMap<>(Way.class);
    List<Way> ways = findings.ways();
    for (int i = 0; i < ways.size(); i++) {
      Way way = ways.get((i + round) % ways.size());
      answers.put(way, devices.ask(way, task));
    }
    if (round > 0) {
      findings.add(name, answers);
    }
  }
}
