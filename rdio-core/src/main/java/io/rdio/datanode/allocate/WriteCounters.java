// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackReason;
import io.rdio.core.thread.Failures;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the write room did since it was made. Thread-safe. */
public final class WriteCounters implements Failures {
  private static final Logger LOG = LoggerFactory.getLogger(WriteCounters.class);

  private final LongAdder allocated = new LongAdder();
  private final LongAdder committed = new LongAdder();
  private final LongAdder committedBytes = new LongAdder();
  private final LongAdder aborted = new LongAdder();
  private final LongAdder expired = new LongAdder();
  private final LongAdder fenced = new LongAdder();
  private final LongAdder slotsMade = new LongAdder();
  private final LongAdder slotsZeroed = new LongAdder();
  private final LongAdder slotsRecycled = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final Map<FallbackReason, LongAdder> refusals = new EnumMap<>(FallbackReason.class);

  WriteCounters() {
    for (FallbackReason reason : FallbackReason.values()) {
      refusals.put(reason, new LongAdder());
    }
  }

  void countAllocated() {
    allocated.increment();
  }

  void countCommitted(long bytes) {
    committed.increment();
    committedBytes.add(bytes);
  }

  void countAborted() {
    aborted.increment();
  }

  void countExpired() {
    expired.increment();
  }

  void countFenced() {
    fenced.increment();
  }

  /**
   * Counts a slot that was made anew.
   *
   * @param byDevice whether the device did so by itself
   */
  void countSlotMade(boolean byDevice) {
    slotsMade.increment();
    if (!byDevice) {
      slotsZeroed.increment();
    }
  }

  void countSlotRecycled() {
    slotsRecycled.increment();
  }

  /** Counts a request that was refused, here or before it got here. */
  public void refused(FallbackReason reason) {
    adder(reason).increment();
  }

  @Override
  public void failed(String what, Throwable failure) {
    try {
      failures.increment();
      LOG.error("Failed in a way that should not be, and goes on: {}", what, failure);
    } catch (Throwable another) {
      // Out of memory even for the message: it is counted.
    }
  }

  /** Slots lent. */
  public long allocated() {
    return allocated.sum();
  }

  /** Blocks committed. */
  public long committed() {
    return committed.sum();
  }

  /** Bytes of those. */
  public long committedBytes() {
    return committedBytes.sum();
  }

  /** Leases that their holders ended without a Commit. */
  public long aborted() {
    return aborted.sum();
  }

  /** Leases that ran out. */
  public long expired() {
    return expired.sum();
  }

  /** Slots that were kept until their host could write to them no more (W8). */
  public long fenced() {
    return fenced.sum();
  }

  /** Slots written anew, for whatever pool. */
  public long slotsMade() {
    return slotsMade.sum();
  }

  /** Requests refused for a reason: Allocate and Commit. */
  public long refusals(FallbackReason reason) {
    return adder(reason).sum();
  }

  /** Those of them that zeros were written to, which cross the way to the device. */
  public long slotsZeroed() {
    return slotsZeroed.sum();
  }

  /** Files of deleted blocks that were taken to be slots again behind their quarantine (W15). */
  public long slotsRecycled() {
    return slotsRecycled.sum();
  }

  /** Failures that should not be; the log has each of them. */
  public long failures() {
    return failures.sum();
  }

  private LongAdder adder(FallbackReason reason) {
    return Objects.requireNonNull(refusals.get(reason), "every reason has a counter");
  }
}
