// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.cli.PerDataNode.Answer;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code rdio stat}: the DataNodes' RDIO metrics at a glance. */
@Command(
    name = "stat",
    mixinStandardHelpOptions = true,
    description = {
      "The DataNodes' RDIO metrics at a glance, from their /jmx pages.",
      "UP: 1 where the plugin serves. PINNED: bytes of blocks that clients may be reading; DELETED:"
          + " those of them that HDFS has deleted and that take space until their leases end."
          + " GRANTS, RECALLS and REFUSED count from the plugin's start. P50 and P99: duration of"
          + " a grant request, in microseconds.",
      "Where agents write to DataNodes: FREE, LENT and QUARANTINED slots, COMMITS of blocks, and what"
          + " was REFUSED, since the plugin's start.",
      "Below it the figures of this host's agent, if it has one.",
      "Exit status: 0 if the plugin serves on every DataNode, else 1."
    })
final class StatCommand implements Callable<Integer> {
  private static final String REFUSED_PREFIX = "Refused_";
  private static final String WRITE_REFUSED_PREFIX = "WriteRefused_";

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClientOptions options = new ClientOptions();

  @Override
  public Integer call() throws IOException {
    Configuration conf = options.configuration();
    boolean useHostname =
        conf.getBoolean(
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME,
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME_DEFAULT);
    List<Answer<Map<String, Object>>> answers;
    try (Hdfs hdfs = Hdfs.open(conf, "/")) {
      answers =
          PerDataNode.ask(
              hdfs.requireLiveDataNodes(), dataNode -> JmxPage.rdioMetrics(dataNode, useHostname));
    }
    Table table =
        new Table(
            "DATANODE",
            "UP",
            "LEASES",
            "PINS",
            "PINNED",
            "DELETED",
            "GRANTS",
            "RECALLS",
            "P50",
            "P99",
            "REFUSED");
    List<String> problems = new ArrayList<>();
    for (Answer<Map<String, Object>> answer : answers) {
      add(answer, table, problems);
    }
    PrintWriter out = spec.commandLine().getOut();
    table.print(out);
    printWrites(answers, out);
    problems.forEach(out::println);
    printAgent(conf, out);
    return problems.isEmpty() ? 0 : 1;
  }

  /** Says nothing where there is none: most hosts with a DataNode have none. */
  private static void printAgent(Configuration conf, PrintWriter out) {
    try {
      out.println("Agent of this host: " + AgentRun.pairs(AgentCheck.figures(conf)));
    } catch (FallbackException e) {
      out.flush();
    }
  }

  private static void add(Answer<Map<String, Object>> answer, Table table, List<String> problems) {
    Map<String, Object> metrics = answer.value();
    if (metrics == null || number(metrics, "PluginUp") != 1) {
      table.row(answer.name(), metrics == null ? "?" : "0", "", "", "", "", "", "", "", "", "");
      problems.add(answer.name() + ": " + why(answer));
      return;
    }
    table.row(
        answer.name(),
        number(metrics, "PluginUp"),
        number(metrics, "LeasesHeld"),
        number(metrics, "Pins"),
        Table.bytes(number(metrics, "PinnedBytes")),
        Table.bytes(number(metrics, "PinnedDeletedBytes")),
        number(metrics, "Grants"),
        number(metrics, "Recalls"),
        number(metrics, "GrantMicrosP50"),
        number(metrics, "GrantMicrosP99"),
        refusals(metrics, REFUSED_PREFIX));
  }

  /** Of the DataNodes to which agents may write; says nothing where there is none. */
  private static void printWrites(List<Answer<Map<String, Object>>> answers, PrintWriter out) {
    Table table = new Table("DATANODE", "FREE", "LENT", "QUARANTINED", "COMMITS", "REFUSED");
    boolean any = false;
    for (Answer<Map<String, Object>> answer : answers) {
      Map<String, Object> metrics = answer.value();
      if (metrics != null && metrics.containsKey("SlotsFree")) {
        any = true;
        table.row(
            answer.name(),
            number(metrics, "SlotsFree"),
            number(metrics, "SlotsLeased"),
            number(metrics, "SlotsQuarantined"),
            number(metrics, "Commits"),
            refusals(metrics, WRITE_REFUSED_PREFIX));
      }
    }
    if (any) {
      table.print(out);
    }
  }

  private static String why(Answer<Map<String, Object>> answer) {
    Exception failure = answer.failure();
    if (failure != null) {
      return Failures.text(failure);
    }
    Map<String, Object> metrics = answer.value();
    return "the plugin does not serve: "
        + (metrics == null ? null : metrics.get("tag.StartFailure"))
        + "; fix: see the ERROR of RdioDataNodePlugin in the DataNode's log";
  }

  /** Such as {@code PIN_LIMIT=3,TOKEN_REFUSED=1}. */
  private static String refusals(Map<String, Object> metrics, String prefix) {
    Map<String, Long> refused = new TreeMap<>();
    for (String name : metrics.keySet()) {
      if (name.startsWith(prefix)) {
        refused.put(name.substring(prefix.length()), number(metrics, name));
      }
    }
    List<String> pairs = new ArrayList<>();
    refused.forEach((reason, count) -> pairs.add(reason + "=" + count));
    return pairs.isEmpty() ? "none" : String.join(",", pairs);
  }

  private static long number(Map<String, Object> metrics, String name) {
    return metrics.get(name) instanceof Number value ? value.longValue() : 0;
  }
}
