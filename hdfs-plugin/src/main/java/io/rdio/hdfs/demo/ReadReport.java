// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import com.sun.management.OperatingSystemMXBean;
import io.rdio.core.FallbackReason;
import io.rdio.core.read.ClientCounters;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.util.JsonSerialization;

/**
 * What a client JVM tells about its own reading, passed on in a file.
 *
 * @param cpuSeconds user and system time of the process since its start-up was over
 * @param rdioBytes bytes that RDIO's own counters say came by RDIO
 * @param fallbacks how often each reason was counted, without those that were not
 */
record ReadReport(double cpuSeconds, long rdioBytes, Map<String, Long> fallbacks) {

  private static final double NANOS = 1e9;

  /** User and system time of this process so far, in seconds. */
  static double processCpuSeconds() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime()
        / NANOS;
  }

  /** What RDIO's counters of this JVM say, with this CPU time. */
  static ReadReport ofThisJvm(double cpuSeconds) {
    ClientCounters counters = new ClientCounters();
    Map<String, Long> fallbacks = new LinkedHashMap<>();
    for (FallbackReason reason : FallbackReason.values()) {
      long count = counters.fallbacks(reason);
      if (count > 0) {
        fallbacks.put(reason.name(), count);
      }
    }
    return new ReadReport(cpuSeconds, counters.rdioBytes.sum(), fallbacks);
  }

  void write(Path file) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("cpu_s", cpuSeconds);
    fields.put("bytes_rdio", rdioBytes);
    fields.put("fallbacks", fallbacks);
    Files.writeString(file, json().toJson(fields));
  }

  /**
   * @throws IOException also if the client did not get as far as to write it
   */
  static ReadReport read(Path file) throws IOException {
    Map<?, ?> fields = json().fromJson(Files.readString(file));
    Map<String, Long> fallbacks = new LinkedHashMap<>();
    ((Map<?, ?>) fields.get("fallbacks"))
        .forEach(
            (reason, count) ->
                fallbacks.put(String.valueOf(reason), ((Number) count).longValue()));
    return new ReadReport(
        ((Number) fields.get("cpu_s")).doubleValue(),
        ((Number) fields.get("bytes_rdio")).longValue(),
        fallbacks);
  }

  @SuppressWarnings("rawtypes") // The class literal that Jackson's wrapper asks for.
  private static JsonSerialization<Map> json() {
    return new JsonSerialization<>(Map.class, false, false);
  }
}
