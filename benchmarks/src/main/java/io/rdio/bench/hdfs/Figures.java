// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.Phase;
import io.rdio.bench.client.Written;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * Figures for JSON: of a run, and of a way in it: of each round, their spread, and of all rounds
 * together.
 */
public final class Figures {
  private static final double NANOS_PER_MICRO = 1e3;

  /** Of a pass, by the name that JSON has for it. */
  private static final Map<String, ToDoubleFunction<Pass>> OF_A_PASS = ofAPass();

  private Figures() {}

  private static Map<String, ToDoubleFunction<Pass>> ofAPass() {
    Map<String, ToDoubleFunction<Pass>> figures = new LinkedHashMap<>();
    figures.put("mbps", Pass::megabytesPerSecond);
    figures.put("reads_per_s", Pass::readsPerSecond);
    figures.put("client_cpu_s_per_gb", Pass::clientCpuPerGigabyte);
    figures.put("client_threads_cpu_s_per_gb", Pass::clientThreadsCpuPerGigabyte);
    figures.put("datanode_cpu_s_per_gb", Pass::dataNodeCpuPerGigabyte);
    figures.put("agent_cpu_s_per_gb", Pass::agentCpuPerGigabyte);
    figures.put("loopback_bytes_per_byte", Pass::loopbackPerByte);
    figures.put("device_bytes_per_byte", Pass::devicePerByte);
    return figures;
  }

  /** What every report of a run begins with. */
  static <K> Map<String, Object> ofRun(
      String command,
      Machine machine,
      Map<String, Object> setup,
      String verified,
      Passes<K> passes) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("command", command);
    fields.put("machine", machine.fields());
    fields.put("setup", setup);
    fields.put("content_verified", verified);
    double share = passes.share(Way.RDIO);
    if (!Double.isNaN(share)) {
      fields.put("rdio_share", share);
    }
    fields.put("not_as_it_should_be", passes.wrongWays());
    return fields;
  }

  /** Each thing that was measured: its own fields, and its figures by all of its ways. */
  public static <K> List<Map<String, Object>> points(
      Passes<K> passes, Function<K, Map<String, Object>> own) {
    List<Map<String, Object>> points = new ArrayList<>();
    for (K what : passes.keys()) {
      Map<String, Object> fields = new LinkedHashMap<>(own.apply(what));
      fields.put("ways", byWay(passes, what));
      points.add(fields);
    }
    return points;
  }

  private static <K> Map<String, Object> byWay(Passes<K> passes, K what) {
    Map<String, Object> ways = new LinkedHashMap<>();
    for (Way way : passes.ways(what)) {
      ways.put(way.name().toLowerCase(Locale.ROOT), of(passes, what, way));
    }
    return ways;
  }

  private static <K> Map<String, Object> of(Passes<K> passes, K what, Way way) {
    Map<String, Object> fields = new LinkedHashMap<>();
    OF_A_PASS.forEach((name, figure) -> fields.put(name, fields(passes.spread(what, way, figure))));
    Histogram all = passes.histogram(what, way);
    if (all.getTotalCount() > 0) {
      for (double percentile : new double[] {50, 99, 99.9}) {
        fields.put(
            micros(percentile), fields(passes.spread(what, way, pass -> pass.micros(percentile))));
      }
      fields.put("latency_of_all_rounds", latency(all));
    }
    Map<String, Object> phases = new LinkedHashMap<>();
    for (Phase phase : passes.phases(what, way)) {
      phases.put(phase.label(), fields(passes.spread(what, way, pass -> pass.phaseMicros(phase))));
    }
    if (!phases.isEmpty()) {
      fields.put("phases_us", phases);
    }
    List<Object> rounds = new ArrayList<>();
    passes.of(what, way).forEach(pass -> rounds.add(round(pass)));
    fields.put("rounds", rounds);
    return fields;
  }

  private static String micros(double percentile) {
    return "p" + Double.toString(percentile).replace(".0", "").replace(".", "") + "_us";
  }

  private static Map<String, Object> fields(Spread spread) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("min", spread.min());
    fields.put("median", spread.median());
    fields.put("max", spread.max());
    return fields;
  }

  private static Map<String, Object> latency(Histogram all) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("reads", all.getTotalCount());
    for (double percentile : new double[] {50, 90, 99, 99.9}) {
      fields.put(micros(percentile), all.getValueAtPercentile(percentile) / NANOS_PER_MICRO);
    }
    fields.put("max_us", all.getMaxValue() / NANOS_PER_MICRO);
    return fields;
  }

  private static Map<String, Object> round(Pass pass) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("bytes", pass.answer().totals().bytes());
    fields.put("bytes_by_this_way", pass.bytesByWay());
    fields.put("reads", pass.answer().totals().reads());
    fields.put("seconds", pass.answer().totals().seconds());
    fields.put("client_cpu_s", pass.answer().totals().cpuSeconds());
    fields.put("client_threads_cpu_s", pass.answer().totals().threadCpuSeconds());
    fields.put("datanode_cpu_s", pass.dataNodeCpuSeconds());
    fields.put("agent_cpu_s", pass.agentCpuSeconds());
    fields.put("loopback_bytes", pass.loopbackBytes());
    fields.put("device_bytes", pass.deviceBytes());
    fields.put("fallbacks", pass.answer().counters().fallbacks());
    Written written = pass.answer().written();
    if (written.bytes() > 0) {
      fields.put("written_bytes", written.bytes());
      fields.put("written_bytes_by_rdio", written.byRdio());
    }
    return fields;
  }
}
