// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackReason;
import io.rdio.core.counters.LatencyHistogram;
import io.rdio.core.thread.Failures;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the grant service did since it was made. Thread-safe. */
public final class GrantCounters implements Failures {
  private static final Logger LOG = LoggerFactory.getLogger(GrantCounters.class);

  private final LongAdder grants = new LongAdder();
  private final LongAdder pinsMade = new LongAdder();
  private final LongAdder renewals = new LongAdder();
  private final LongAdder recalls = new LongAdder();
  private final LongAdder changedUnpinned = new LongAdder();
  private final LongAdder changedPinned = new LongAdder();
  private final Map<FallbackReason, LongAdder> refusals = new EnumMap<>(FallbackReason.class);
  private final LatencyHistogram latency = new LatencyHistogram();
  private final LongAdder sweeps = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private volatile String lastFailure = "";

  GrantCounters() {
    for (FallbackReason reason : FallbackReason.values()) {
      refusals.put(reason, new LongAdder());
    }
  }

  void granted() {
    grants.increment();
  }

  void pinned() {
    pinsMade.increment();
  }

  void renewed(long leases) {
    renewals.add(leases);
  }

  void recalled(int leases) {
    recalls.add(leases);
  }

  void swept() {
    sweeps.increment();
  }

  @Override
  public void failed(String what, Throwable failure) {
    try {
      failures.increment();
      lastFailure = what + ": " + failure;
      LOG.error("Failed in a way that should not be, and goes on: {}", what, failure);
    } catch (Throwable another) {
      // Out of memory even for the message: it is counted.
    }
  }

  /** A pinned block is changed, with its pin gone in time or not. */
  void changed(boolean free) {
    (free ? changedUnpinned : changedPinned).increment();
  }

  void requestTook(long nanos) {
    latency.record(nanos);
  }

  /** Counts a block that was refused, here or before it got here. */
  public void refused(FallbackReason reason) {
    adder(reason).increment();
  }

  /** Leases granted. */
  public long grants() {
    return grants.sum();
  }

  /** Blocks pinned; the other grants shared a pin. */
  public long pinsMade() {
    return pinsMade.sum();
  }

  /** Leases renewed. */
  public long renewals() {
    return renewals.sum();
  }

  /** Leases recalled, whether or not their holder could be told. */
  public long recalls() {
    return recalls.sum();
  }

  /** Looks at all that is pinned, done to the end. */
  public long sweeps() {
    return sweeps.sum();
  }

  /** Failures that should not be; the log has each of them. */
  public long failures() {
    return failures.sum();
  }

  /** The last of them, for people; "" if there was none. */
  public String lastFailure() {
    return lastFailure;
  }

  /** Blocks whose holders gave them back in time for HDFS to change them in place. */
  public long changedUnpinned() {
    return changedUnpinned.sum();
  }

  /** Blocks that were still pinned after the wait for it, so that HDFS copied them. */
  public long changedPinned() {
    return changedPinned.sum();
  }

  /** Blocks refused for a reason. */
  public long refusals(FallbackReason reason) {
    return adder(reason).sum();
  }

  private LongAdder adder(FallbackReason reason) {
    return Objects.requireNonNull(refusals.get(reason), "every reason has a counter");
  }

  /** Durations of grant requests, each of one or many blocks. */
  public LatencyHistogram latency() {
    return latency;
  }
}
