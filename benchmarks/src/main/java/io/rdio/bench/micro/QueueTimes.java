// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Time that threads spent in their {@link TimedQueue}s, added up. Thread-safe. */
final class QueueTimes {
  /** Of all queues that are measured. */
  static final QueueTimes OF_THIS_JVM = new QueueTimes(System::nanoTime);

  private final LongSupplier nanos;
  private final LongAdder submitting = new LongAdder();
  private final LongAdder waiting = new LongAdder();

  /**
   * @param nanos as System.nanoTime
   */
  QueueTimes(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Now. */
  long now() {
    return nanos.getAsLong();
  }

  /** From then until now a thread asked a device for something. */
  void submittedSince(long then) {
    submitting.add(now() - then);
  }

  /** From then until now a thread waited for a device. */
  void waitedSince(long then) {
    waiting.add(now() - then);
  }

  /** What asking took so far, in nanoseconds. */
  long submittingNanos() {
    return submitting.sum();
  }

  /** What waiting took so far, in nanoseconds. */
  long waitingNanos() {
    return waiting.sum();
  }
}
