// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.client.plane.GrantedLease;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.hdfs.cli.PerDataNode.Answer;
import io.rdio.hdfs.client.direct.DataNodePlugins;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rdio leases}: who holds which leases. */
@Command(
    name = "leases",
    mixinStandardHelpOptions = true,
    description = {
      "Who holds which leases on each DataNode.",
      "A lease lets one client read one block from the device for a while; as long as it lasts the"
          + " block's extents stay pinned, also if the block is deleted. A recalled lease is one"
          + " that the DataNode has asked back. CLIENT is how the client's id begins: its host.",
      "A DataNode tells it on its own host, and to hosts in dfs.datanode.rdio.list.leases.from.",
      "Exit status: 0 if every DataNode answered, else 1."
    })
final class LeasesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClientOptions options = new ClientOptions();

  @Parameters(
      arity = "0..*",
      paramLabel = "DATANODE",
      description = "host, or host:port of its data transfer; every live DataNode if none is named")
  private List<String> names = new ArrayList<>();

  @Override
  public Integer call() throws IOException, FallbackException {
    Configuration conf = options.configuration();
    List<Answer<List<GrantedLease>>> answers;
    try (Hdfs hdfs = Hdfs.open(conf, "/");
        DataNodePlugins plugins = DataNodePlugins.of(conf)) {
      answers =
          PerDataNode.ask(
              chosen(hdfs.requireLiveDataNodes()),
              dataNode -> plugins.listLeases(plugins.endpoint(dataNode)));
    }
    PrintWriter out = spec.commandLine().getOut();
    print(answers, out);
    boolean complete = true;
    for (Answer<List<GrantedLease>> answer : answers) {
      Exception failure = answer.failure();
      if (failure != null) {
        complete = false;
        out.println(answer.name() + " did not answer: " + Failures.text(failure));
      }
    }
    return complete ? 0 : 1;
  }

  private List<DatanodeInfo> chosen(List<DatanodeInfo> live) throws IOException {
    List<DatanodeInfo> chosen = new ArrayList<>();
    for (String name : names) {
      List<DatanodeInfo> found = live.stream().filter(each -> isNamed(each, name)).toList();
      if (found.isEmpty()) {
        throw new IOException(
            "no live DataNode is called "
                + name
                + "; fix: name one of "
                + live.stream().map(DatanodeInfo::getXferAddr).toList());
      }
      found.stream().filter(each -> !chosen.contains(each)).forEach(chosen::add);
    }
    return names.isEmpty() ? live : chosen;
  }

  private static boolean isNamed(DatanodeInfo dataNode, String name) {
    return name.equals(dataNode.getIpAddr())
        || name.equalsIgnoreCase(dataNode.getHostName())
        || name.equals(dataNode.getXferAddr())
        || name.equalsIgnoreCase(dataNode.getXferAddrWithHostname());
  }

  private static void print(List<Answer<List<GrantedLease>>> answers, PrintWriter out) {
    Table table = new Table("DATANODE", "BLOCK", "CLIENT", "REMAINING", "RECALLED", "PINNED");
    long leases = 0;
    long blocks = 0;
    long pinned = 0;
    for (Answer<List<GrantedLease>> answer : answers) {
      List<GrantedLease> granted = answer.value();
      if (granted == null) {
        continue;
      }
      BlockKey last = null;
      for (GrantedLease lease : sorted(granted)) {
        table.row(
            answer.name(),
            lease.block().toString(),
            lease.clientId(),
            String.format(Locale.ROOT, "%.1f s", lease.remainingMillis() / 1e3),
            lease.recalled() ? "recalled" : "-",
            Table.bytes(lease.pinnedBytes()));
        leases++;
        // Clients share the pin of a block.
        if (!lease.block().equals(last)) {
          blocks++;
          pinned += lease.pinnedBytes();
        }
        last = lease.block();
      }
    }
    if (leases > 0) {
      table.print(out);
    }
    out.printf("%d leases on %d blocks, %s pinned%n", leases, blocks, Table.bytes(pinned));
  }

  private static List<GrantedLease> sorted(List<GrantedLease> leases) {
    return leases.stream()
        .sorted(
            Comparator.comparing((GrantedLease lease) -> lease.block().poolId())
                .thenComparingLong(lease -> lease.block().blockId())
                .thenComparingLong(lease -> lease.block().generationStamp())
                .thenComparing(GrantedLease::clientId))
        .toList();
  }
}
