// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** What of each operation threads spent in their {@link TimedQueue}s; nothing without any. */
public final class QueueProfiler implements InternalProfiler {
  static final String SUBMITTING = "queue.submitting.norm";
  static final String WAITING = "queue.waiting.norm";

  private long submittingBefore;
  private long waitingBefore;

  @Override
  public String getDescription() {
    return "Time in read queues per operation";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    submittingBefore = QueueTimes.OF_THIS_JVM.submittingNanos();
    waitingBefore = QueueTimes.OF_THIS_JVM.waitingNanos();
  }

  @Override
  @SuppressWarnings("rawtypes") // JMH's signature.
  public Collection<? extends Result> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    double submitting = QueueTimes.OF_THIS_JVM.submittingNanos() - submittingBefore;
    double waiting = QueueTimes.OF_THIS_JVM.waitingNanos() - waitingBefore;
    if (submitting + waiting <= 0) {
      return List.of();
    }
    long operations = Math.max(1, result.getMetadata().getAllOps());
    return List.of(
        new ScalarResult(SUBMITTING, submitting / operations, "ns/op", AggregationPolicy.AVG),
        new ScalarResult(WAITING, waiting / operations, "ns/op", AggregationPolicy.AVG));
  }
}
