// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import io.rdio.hdfs.demo.ReadPass.Side;
import io.rdio.hdfs.demo.ReadPass.Way;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.apache.hadoop.util.JsonSerialization;

/**
 * What the demo found.
 *
 * @param written SHA-256 of the bytes that were written
 * @param passes of each {@link Side}, in all {@link Way}s
 */
record DemoResult(String written, List<ReadPass> passes) {
  private static final double GIGABYTE = 1e9;
  private static final double MEGABYTE = 1e6;

  /** Whether every pass read the bytes that were written. */
  boolean sha256Ok() {
    return passes.stream().allMatch(pass -> pass.sha256().equals(written));
  }

  /** Share of the bytes of clients that open the device themselves that did come by RDIO. */
  double rdioShare() {
    return share(Side.RDIO, ReadReport::rdioBytes);
  }

  /** Share of the bytes of the agent's clients that did come by the agent. */
  double agentShare() {
    return share(Side.AGENT, ReadReport::agentBytes);
  }

  private double share(Side side, ToLongFunction<ReadReport> bytes) {
    List<ReadPass> all = passesOf(side);
    return (double) all.stream().mapToLong(pass -> bytes.applyAsLong(pass.report())).sum()
        / all.stream().mapToLong(ReadPass::bytes).sum();
  }

  /** The figures for people. */
  String table() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            "%n%-24s %10s %8s %12s %12s %12s  %s%n",
            "", "path used", "MB/s", "client", "DataNode", "loopback", "fallbacks"));
    text.append(
        String.format(
            "%-24s %10s %8s %12s %12s %12s%n", "", "", "", "CPU s/GB", "CPU s/GB", "B per B read"));
    for (ReadPass pass : passes) {
      text.append(row(pass));
    }
    text.append(
        """

        MB/s and client CPU: of reading alone, start-up of the JVM and SHA-256 taken off (-cat: with
        Hadoop's start-up and writing to the pipe). Before each pass the page cache of the block
        files was dropped, before the first one the DataNode was warmed up by both sides. rdio opens the
        device itself; agent asks a warm agent of the host, whose own CPU is in no column.
        Loopback: of the whole machine, NameNode calls included. GB, MB: 10^9, 10^6 bytes.
        """);
    return text.toString();
  }

  private static String row(ReadPass pass) {
    double gigabytes = pass.bytes() / GIGABYTE;
    double share = 100.0 * pass.report().rdioBytes() / pass.bytes();
    return String.format(
        Locale.ROOT,
        "%-24s %10s %8.0f %12.3f %12.3f %12.4f  %s%n",
        String.format("%-6s", pass.side().label) + pass.way().label,
        share == 0 ? "DataNode" : path(pass, share),
        pass.bytes() / MEGABYTE / pass.seconds(),
        pass.report().cpuSeconds() / gigabytes,
        pass.dataNodeCpuSeconds() / gigabytes,
        (double) pass.loopbackBytes() / pass.bytes(),
        pass.report().fallbacks().isEmpty() ? "none" : pass.report().fallbacks());
  }

  private static String path(ReadPass pass, double share) {
    String carrier = pass.report().agentBytes() > 0 ? "agent" : "device";
    return String.format(Locale.ROOT, "%s %.0f%%", carrier, Math.floor(share));
  }

  /** The figures for programs: speed and client CPU of FileSystem.open, the rest of all passes. */
  String json() throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (Side side : Side.values()) {
      fields.put(side.label, sideFields(passesOf(side)));
    }
    fields.put("sha256_ok", sha256Ok());
    return new JsonSerialization<>(Map.class, false, true).toJson(fields) + "\n";
  }

  private static Map<String, Object> sideFields(List<ReadPass> side) {
    ReadPass open = side.stream().filter(pass -> pass.way() == Way.OPEN).findFirst().orElseThrow();
    long bytes = side.stream().mapToLong(ReadPass::bytes).sum();
    double dataNodeCpu = side.stream().mapToDouble(ReadPass::dataNodeCpuSeconds).sum();
    long loopback = side.stream().mapToLong(ReadPass::loopbackBytes).sum();
    Map<String, Long> fallbacks = new TreeMap<>();
    side.forEach(
        pass ->
            pass.report()
                .fallbacks()
                .forEach((reason, n) -> fallbacks.merge(reason, n, Long::sum)));
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("mbps", open.bytes() / MEGABYTE / open.seconds());
    fields.put("bytes_total", bytes);
    fields.put("bytes_rdio", side.stream().mapToLong(pass -> pass.report().rdioBytes()).sum());
    fields.put("bytes_agent", side.stream().mapToLong(pass -> pass.report().agentBytes()).sum());
    fields.put("client_cpu_s_per_gb", open.report().cpuSeconds() / (open.bytes() / GIGABYTE));
    fields.put("datanode_cpu_s_per_gb", dataNodeCpu / (bytes / GIGABYTE));
    fields.put("loopback_bytes_per_byte", (double) loopback / bytes);
    fields.put("fallbacks", fallbacks);
    return fields;
  }

  private List<ReadPass> passesOf(Side side) {
    return passes.stream().filter(pass -> pass.side() == side).toList();
  }
}
