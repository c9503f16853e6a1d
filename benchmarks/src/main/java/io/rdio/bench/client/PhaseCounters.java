// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.client.counters.ClientCounters;
import io.rdio.hdfs.client.write.WriteCounters;
import java.util.EnumMap;
import java.util.Map;

/**
 * RDIO's own counters of time, from some moment on, by which the phases that an application sees
 * are taken apart.
 */
final class PhaseCounters {
  private final ClientCounters reads;
  private final WriteCounters writes;
  private final Map<Phase, Long> before;

  /** From now on. */
  PhaseCounters(ClientCounters reads, WriteCounters writes) {
    this.reads = reads;
    this.writes = writes;
    this.before = now();
  }

  private Map<Phase, Long> now() {
    Map<Phase, Long> now = new EnumMap<>(Phase.class);
    now.put(Phase.MAP, reads.grantLatency.sumNanos());
    now.put(Phase.DEVICE, reads.deviceLatency.sumNanos());
    now.put(Phase.ALLOCATE, writes.allocateNanos.sum());
    now.put(Phase.HAND_OVER, writes.handOverNanos.sum());
    now.put(Phase.COMMIT, writes.commitNanos.sum());
    return now;
  }

  /**
   * Takes apart what was timed meanwhile.
   *
   * @param timed nanoseconds of all files; nothing where phases are not timed
   */
  Map<Phase, Long> split(Map<Phase, Long> timed) {
    if (timed.isEmpty()) {
      return timed;
    }
    Map<Phase, Long> counted = now();
    before.forEach((phase, nanos) -> counted.merge(phase, -nanos, Long::sum));
    counted.values().removeIf(nanos -> nanos == 0);
    return split(timed, counted);
  }

  /**
   * Takes apart what was timed.
   *
   * @param counted what RDIO says; where it did some of that at the same time as the application
   *     went on, there may be more of it than was timed, and then there is no rest
   */
  static Map<Phase, Long> split(Map<Phase, Long> timed, Map<Phase, Long> counted) {
    Map<Phase, Long> all = new EnumMap<>(Phase.class);
    all.putAll(timed);
    if (counted.isEmpty()) {
      return all;
    }
    all.putAll(counted);
    long within = counted.values().stream().mapToLong(Long::longValue).sum();
    if (timed.containsKey(Phase.READ)) {
      all.merge(Phase.READ, -within, PhaseCounters::left);
    } else {
      long written = timed.getOrDefault(Phase.WRITE, 0L) + timed.getOrDefault(Phase.CLOSE, 0L);
      all.remove(Phase.WRITE);
      all.remove(Phase.CLOSE);
      all.put(Phase.REST, left(written, -within));
    }
    return all;
  }

  private static long left(long whole, long less) {
    return Math.max(0, whole + less);
  }
}
