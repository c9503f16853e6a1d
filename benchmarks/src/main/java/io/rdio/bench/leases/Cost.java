// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * What work of one kind came to.
 *
 * @param calls how often it was begun
 * @param units how much of it was done: leases, mostly
 * @param nanos of processor time
 * @param bytes of messages, both ways, without framing
 */
record Cost(long calls, long units, long nanos, long bytes) {
  static final Cost NONE = new Cost(0, 0, 0, 0);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Processor time of this thread until now, in nanoseconds. */
  static long cpu() {
    return THREADS.getCurrentThreadCpuTime();
  }

  Cost plus(Cost more) {
    return new Cost(calls + more.calls, units + more.units, nanos + more.nanos, bytes + more.bytes);
  }

  /** Processor time of one unit; NaN where there is none. */
  double nanosEach() {
    return units == 0 ? Double.NaN : (double) nanos / units;
  }
}
