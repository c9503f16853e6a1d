// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import com.sun.management.OperatingSystemMXBean;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.direct.RdioClientContext;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What a client JVM tells about its own reading; may be passed on in a file.
 *
 * @param cpuSeconds user and system time of the process since its start-up was over
 * @param rdioBytes bytes that RDIO's own counters say came by RDIO
 * @param agentBytes those of them that the agent of the host read
 * @param fallbacks how often each reason was counted, without those that were not
 */
public record ReadReport(
    double cpuSeconds, long rdioBytes, long agentBytes, Map<String, Long> fallbacks) {

  private static final String CPU_SECONDS = "cpu.seconds";
  private static final String RDIO_BYTES = "rdio.bytes";
  private static final String AGENT_BYTES = "agent.bytes";
  private static final String FALLBACK = "fallback.";
  private static final double NANOS = 1e9;

  /** User and system time of this process so far, in seconds. */
  public static double processCpuSeconds() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime()
        / NANOS;
  }

  /** What RDIO's counters of this JVM say, with this CPU time. */
  public static ReadReport ofThisJvm(double cpuSeconds) {
    ClientCounters counters = RdioClientContext.counters();
    Map<String, Long> fallbacks = new TreeMap<>();
    for (FallbackReason reason : FallbackReason.values()) {
      long count = counters.fallbacks(reason);
      if (count > 0) {
        fallbacks.put(reason.name(), count);
      }
    }
    return new ReadReport(
        cpuSeconds, counters.rdioBytes.sum(), counters.agentBytes.sum(), fallbacks);
  }

  void write(Path file) throws IOException {
    Properties fields = new Properties();
    fields.setProperty(CPU_SECONDS, Double.toString(cpuSeconds));
    fields.setProperty(RDIO_BYTES, Long.toString(rdioBytes));
    fields.setProperty(AGENT_BYTES, Long.toString(agentBytes));
    fallbacks.forEach(
        (reason, count) -> fields.setProperty(FALLBACK + reason, Long.toString(count)));
    try (Writer out = Files.newBufferedWriter(file)) {
      fields.store(out, null);
    }
  }

  /** Reads what {@link #write} wrote; fails if the client did not get as far as that. */
  static ReadReport read(Path file) throws IOException {
    Properties fields = new Properties();
    try (Reader in = Files.newBufferedReader(file)) {
      fields.load(in);
    }
    Map<String, Long> fallbacks = new TreeMap<>();
    for (String key : fields.stringPropertyNames()) {
      if (key.startsWith(FALLBACK)) {
        fallbacks.put(key.substring(FALLBACK.length()), Long.valueOf(fields.getProperty(key)));
      }
    }
    return new ReadReport(
        Double.parseDouble(fields.getProperty(CPU_SECONDS)),
        Long.parseLong(fields.getProperty(RDIO_BYTES)),
        Long.parseLong(fields.getProperty(AGENT_BYTES)),
        fallbacks);
  }
}
