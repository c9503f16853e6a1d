// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import io.rdio.client.plane.device.ResolveStep;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What each step of resolving took, over many resolves that begin in the same state. A step that
 * comes several times in one resolve counts as one. For one thread.
 */
final class PlaneSteps implements Consumer<ResolveStep> {
  private static final Mark NOTHING = new Mark(0, 0);

  private final LongSupplier nanos;
  private final LongSupplier reads;
  private final Map<ResolveStep, Tally> steps = new EnumMap<>(ResolveStep.class);
  private final Tally whole = new Tally();

  /** Of the resolve that is under way. */
  private final Map<ResolveStep, Mark> current = new EnumMap<>(ResolveStep.class);

  private Mark began = NOTHING;
  private Mark last = NOTHING;

  /** Nanoseconds and reads, of a clock and a counter or between two of their values. */
  private record Mark(long nanos, long reads) {
    Mark minus(Mark other) {
      return new Mark(nanos - other.nanos, reads - other.reads);
    }

    Mark plus(Mark other) {
      return new Mark(nanos + other.nanos, reads + other.reads);
    }
  }

  /**
   * @param nanos a clock
   * @param reads of the device so far
   */
  PlaneSteps(LongSupplier nanos, LongSupplier reads) {
    this.nanos = nanos;
    this.reads = reads;
    for (ResolveStep step : ResolveStep.values()) {
      steps.put(step, new Tally());
    }
  }

  /** A resolve begins now. */
  void begin() {
    current.clear();
    began = now();
    last = began;
  }

  @Override
  public void accept(ResolveStep step) {
    Mark now = now();
    current.merge(step, now.minus(last), Mark::plus);
    last = now;
  }

  /** The resolve has come to a good end. */
  void end() {
    Mark took = now().minus(began);
    whole.add(took.nanos(), took.reads());
    steps.forEach(
        (step, tally) -> {
          Mark mark = current.getOrDefault(step, NOTHING);
          tally.add(mark.nanos(), mark.reads());
        });
  }

  private Mark now() {
    return new Mark(nanos.getAsLong(), reads.getAsLong());
  }

  /** By what people call the steps, in their order, and then the whole. */
  Map<String, Tally> tallies() {
    Map<String, Tally> tallies = new LinkedHashMap<>();
    steps.forEach((step, tally) -> tallies.put(name(step), tally));
    tallies.put("all of it", whole);
    return tallies;
  }

  private static String name(ResolveStep step) {
    return switch (step) {
      case STORAGE -> "storage still fit";
      case LOOK -> "look before";
      case PATH -> "path walk";
      case INODES -> "names and inodes";
      case EXTENTS -> "extents";
      case HEADER -> "meta header";
      case LOOK_BEHIND -> "look behind";
    };
  }
}
