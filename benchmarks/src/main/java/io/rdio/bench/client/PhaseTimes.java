// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** What phases of files took, as the application sees them, of all its threads. Thread-safe. */
final class PhaseTimes {
  private final Map<Phase, LongAdder> nanos = new EnumMap<>(Phase.class);

  PhaseTimes() {
    for (Phase phase : Phase.values()) {
      nanos.put(phase, new LongAdder());
    }
  }

  /**
   * Adds a phase that began at this {@link System#nanoTime} and ends now.
   *
   * @return the same of now
   */
  long addSince(Phase phase, long begun) {
    long now = System.nanoTime();
    Objects.requireNonNull(nanos.get(phase)).add(now - begun);
    return now;
  }

  /** So far, in nanoseconds; only those that there were. */
  Map<Phase, Long> nanos() {
    Map<Phase, Long> all = new EnumMap<>(Phase.class);
    nanos.forEach((phase, sum) -> all.put(phase, sum.sum()));
    all.values().removeIf(sum -> sum == 0);
    return all;
  }
}
