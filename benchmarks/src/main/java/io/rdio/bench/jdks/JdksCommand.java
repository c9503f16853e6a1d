// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.jdks;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.jdks.JavaClients.Client;
import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench jdks}: its options, and the run. */
@Command(
    name = "jdks",
    mixinStandardHelpOptions = true,
    description = {
      "Reads by RDIO, to arrays and to direct buffers, by clients on several releases of Java in"
          + " turn; and CRC32C alone, by librdio and by each Java's own class.",
      "On a throwaway cluster on this machine, whose daemons have the Java that this has. Needs"
          + " root."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class JdksCommand implements Callable<Integer> {
  @Option(
      names = "--java",
      paramLabel = "FOLDER",
      description = "Home of a further Java, 17 or later. May be repeated.")
  private List<Path> homes = new ArrayList<>();

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "Size of the file. Default: ${DEFAULT-VALUE}.")
  private String size = "1g";

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Seconds of positional reads, and of CRCs. Default: ${DEFAULT-VALUE}.")
  private double seconds = 2;

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds = 5;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    long bytes;
    try {
      bytes = Sizes.parse(size);
      Checks.requireOneOrMore("--rounds", rounds);
      Checks.requirePositive("--seconds", seconds);
      for (Path home : homes) {
        requireJava(home);
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return ClusterCommand.run(() -> run(bytes, System.out));
  }

  private static void requireJava(Path home) {
    if (!Files.isExecutable(home.resolve("bin/java"))) {
      throw new IllegalArgumentException(
          "--java " + home + ": there is no bin/java; name the home of a Java");
    }
  }

  private int run(long bytes, PrintStream out) throws IOException {
    List<Path> all = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
    all.addAll(homes);
    out.printf("Starting a NameNode and a DataNode, writing %s...%n", Sizes.label(bytes));
    JdksFindings findings = new JdksFindings();
    try (JavaClients clients = new JavaClients(all, bytes)) {
      for (int round = 0; round <= rounds; round++) {
        out.println(round == 0 ? "Warming up..." : "Round " + round + " of " + rounds + "...");
        round(round, clients, findings);
      }
      out.println("Removing the cluster...");
    }
    out.printf(
        "%n%s%na file of %s, ext4 on a loop device over tmpfs, CRCs checked, page cache cold, warm"
            + " JVMs, rounds: %d%n%n%s",
        Machine.here(Clock.systemUTC()).describe(), Sizes.label(bytes), rounds, findings.text());
    return 0;
  }

  /** Another client begins each round, so that none always comes behind the same one. */
  private void round(int round, JavaClients clients, JdksFindings findings) throws IOException {
    List<Client> all = clients.all();
    for (Figure.Load load : Figure.loads()) {
      Task task = load.task(JavaClients.FILE, seconds, round);
      for (int i = 0; i < all.size(); i++) {
        Client client = all.get((i + round) % all.size());
        Answer answer = clients.ask(client, task);
        if (round > 0) {
          findings.add(client, load, answer);
        }
      }
    }
  }
}
