// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.cache;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Measures the CPU time that the whole JVM spends per operation: background threads and garbage
 * collection count, waiting does not. On a machine that others use too it is steadier than
 * throughput.
 */
public final class CpuProfiler implements InternalProfiler {
  static final String LABEL = "cpu.norm";

  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private long before;

  @Override
  public String getDescription() {
    return "CPU time of the JVM per operation";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    before = system.getProcessCpuTime();
  }

  @Override
  @SuppressWarnings("rawtypes") // JMH's signature.
  public Collection<? extends Result> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    double nanos = system.getProcessCpuTime() - before;
    long operations = Math.max(1, result.getMetadata().getAllOps());
    return List.of(new ScalarResult(LABEL, nanos / operations, "ns/op", AggregationPolicy.AVG));
  }
}
