// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.datanode.grant.GrantService;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the DataNode does for leases while links of an earlier start are still kept. All of it is
 * done on the caller's thread.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls leave() first.
public class LeftoverSteps {
  private static final String CLIENT = "client-0";
  private static final long SHARED = 0;

  @Param({"0", "200000"})
  public int leftovers;

  private PinnedReplicas replicas;
  private GrantService service;
  private long lastBlock = SHARED;

  /** The links that are found at the start; their time does not come. */
  @Setup
  public void leave() throws IOException {
    replicas = new PinnedReplicas();
    replicas.leaveLinks(leftovers);
    service = LeaseSteps.service(replicas, () -> 0);
    service.sweep();
    LeaseSteps.grant(service, "client-1", SHARED);
  }

  /** Removes the files. */
  @TearDown
  public void remove() throws IOException {
    replicas.close();
  }

  private void grantAndReturn(long block) {
    long lease = LeaseSteps.grant(service, CLIENT, block);
    service.giveBack(CLIENT, service.incarnation(), new long[] {lease});
  }

  /** A lease on a pin that is there. */
  @Benchmark
  public void grantWithLeftovers() {
    grantAndReturn(SHARED);
  }

  /** A first grant and its undoing, with the links and syncs of files in memory. */
  @Benchmark
  public void pinWithLeftovers() {
    grantAndReturn(++lastBlock);
  }

  /** A sweep that has no leftover to remove yet. */
  @Benchmark
  public void sweepWithLeftovers() {
    service.sweep();
  }
}
