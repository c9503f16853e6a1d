// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.MissRatios.Size;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Speed and precision of quick demotion by the small queue's share: S3-FIFO paper, figure 10. */
final class Demotions implements Part {
  static final List<String> SHARES =
      List.of("0.01", "0.02", "0.05", "0.10", "0.20", "0.30", "0.40");
  static final String SPEED = "speed: age at eviction by LRU, divided by age at demotion";
  static final String PRECISION = "precision: share not asked for again soon";

  /** Requests of many users: a loop, say, has no object that a small queue could keep. */
  private static final Set<String> GROUPS =
      Set.of(PaperTraces.MADE, PaperTraces.WEB, PaperTraces.TWITTER);

  private static final Size LARGE = MissRatios.SIZES.get(0);
  private static final Duration BOUND = Duration.ofMinutes(1);
  private static final Duration QUICK_BOUND = Duration.ofSeconds(15);

  @Override
  public String name() {
    return "demotions";
  }

  @Override
  public String runs(boolean quick) {
    return "simulation of S3-FIFO's demotions in a cache of "
        + LARGE.label()
        + ", with small queues of "
        + String.join(", ", SHARES)
        + ", on traces of "
        + String.join(", ", GROUPS.stream().sorted().toList())
        + (quick ? ", shorter made ones" : "");
  }

  @Override
  public Duration bound(boolean quick) {
    return quick ? QUICK_BOUND : BOUND;
  }

  @Override
  public boolean needsRoot() {
    return false;
  }

  @Override
  public Measured run(Terms terms) throws IOException {
    Panel.Builder speed = Panel.of(SPEED, "small queue's share", "times LRU's");
    Panel.Builder precision = Panel.of(PRECISION, "small queue's share", "share of demotions");
    PaperTraces.forEach(
        terms,
        (group, trace) -> {
          int capacity = LARGE.capacity(trace);
          if (!GROUPS.contains(group) || capacity < MissRatios.LEAST_CAPACITY) {
            return;
          }
          QuickDemotion demotion = new QuickDemotion(trace);
          double lruAge = demotion.lru(capacity).age();
          for (String share : SHARES) {
            terms.deadline().check();
            QuickDemotion.Outcome outcome = demotion.s3Fifo(capacity, Double.parseDouble(share));
            speed.add(trace.name(), share, lruAge / outcome.age());
            precision.add(trace.name(), share, outcome.precision());
          }
        });
    return new Measured(List.of(speed.build(), precision.build()));
  }
}
