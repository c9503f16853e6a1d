// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Algorithm 1 of the paper in the plainest terms, and its deliberately wrong variants: the model
 * that the policy is compared with, and the mutants that the tests must catch.
 */
public final class NaiveS3Fifo implements SimulatedCache {
  /** What is done wrong. */
  public enum Mutant {
    NONE("none"),
    PROMOTE_AT_ONE_HIT("promote-freq>0"),
    INSERT_WITH_ONE_HIT("insert-freq-1"),
    NO_RESET_ON_PROMOTION("no-freq-reset"),
    UNCAPPED_COUNTER("uncapped-freq"),
    MAIN_CLEARS_COUNTER("main-clear-bit"),
    NO_GHOST("no-ghost"),
    HALF_GHOST("ghost=C/2"),
    UNBOUNDED_GHOST("ghost-unbounded"),
    GHOST_KEEPS_HITS("ghost-not-removed"),
    GHOST_HIT_TO_SMALL("ghost-hit-to-small"),
    MAIN_EVICTS_TO_GHOST("main-evict-to-ghost"),
    PROMOTION_DOES_NOT_EVICT("no-evictM-on-promote"),
    SMALL_OF_25_PERCENT("small=25%"),
    SMALL_OF_1_PERCENT("small=1%");

    private final String label;

    Mutant(String label) {
      this.label = label;
    }

    /** Returns the mutant of that name in mutants.csv. */
    public static Mutant of(String label) {
      for (Mutant mutant : values()) {
        if (mutant.label.equals(label)) {
          return mutant;
        }
      }
      throw new IllegalArgumentException(label);
    }
  }

  private final Deque<Integer> small = new ArrayDeque<>();
  private final Deque<Integer> main = new ArrayDeque<>();
  private final Set<Integer> ghost = new LinkedHashSet<>();
  private final Map<Integer, Integer> frequency = new HashMap<>();
  private final Map<Integer, Integer> numberInSmall = new HashMap<>();
  private final S3FifoOptions options;
  private final Mutant mutant;
  private final int maximum;
  private final double smallLimit;
  private final int ghostLimit;
  private int addedToSmall;

  public NaiveS3Fifo(int maximum, Mutant mutant) {
    this(maximum, mutant, S3FifoOptions.PAPER);
  }

  /** Of the options the window and the hits to promote. */
  NaiveS3Fifo(int maximum, Mutant mutant, S3FifoOptions options) {
    this.options = options;
    this.mutant = mutant;
    this.maximum = maximum;
    this.smallLimit =
        switch (mutant) {
          case SMALL_OF_25_PERCENT -> 0.25 * maximum;
          case SMALL_OF_1_PERCENT -> 0.01 * maximum;
          default -> 0.1 * maximum;
        };
    this.ghostLimit =
        switch (mutant) {
          case NO_GHOST -> 0;
          case HALF_GHOST -> maximum / 2;
          case UNBOUNDED_GHOST -> Integer.MAX_VALUE;
          default -> (int) (0.9 * maximum);
        };
  }

  /** Returns the objects that are in the cache. */
  public Set<Integer> resident() {
    return frequency.keySet();
  }

  /** Takes an object out, as if it had never been put in. */
  public boolean remove(int object) {
    small.remove(object);
    main.remove(object);
    numberInSmall.remove(object);
    return frequency.remove(object) != null;
  }

  @Override
  public boolean request(int object) {
    Integer hits = frequency.get(object);
    if (hits != null && isInWindow(object)) {
      return true;
    }
    if (hits != null) {
      boolean capped = mutant != Mutant.UNCAPPED_COUNTER;
      frequency.put(object, capped ? Math.min(3, hits + 1) : hits + 1);
      return true;
    }
    while (small.size() + main.size() >= maximum) {
      if (!small.isEmpty() && (small.size() >= smallLimit || main.isEmpty())) {
        evictFromSmall();
      } else {
        evictFromMain();
      }
    }
    boolean remembered =
        mutant == Mutant.GHOST_KEEPS_HITS ? ghost.contains(object) : ghost.remove(object);
    if (remembered && mutant != Mutant.GHOST_HIT_TO_SMALL) {
      main.add(object);
    } else {
      small.add(object);
      numberInSmall.put(object, ++addedToSmall);
    }
    frequency.put(object, mutant == Mutant.INSERT_WITH_ONE_HIT ? 1 : 0);
    return false;
  }

  private boolean isInWindow(int object) {
    Integer number = numberInSmall.get(object);
    int window = (int) (options.correlationWindow() * smallLimit);
    return number != null && addedToSmall - number < window;
  }

  private void evictFromSmall() {
    int threshold = mutant == Mutant.PROMOTE_AT_ONE_HIT ? 0 : options.hitsToPromote() - 1;
    while (!small.isEmpty()) {
      int object = small.remove();
      numberInSmall.remove(object);
      if (frequency.get(object) <= threshold) {
        frequency.remove(object);
        remember(object);
        return;
      }
      if (mutant != Mutant.NO_RESET_ON_PROMOTION) {
        frequency.put(object, 0);
      }
      main.add(object);
      // The variants with another small queue kept this limit.
      boolean overShare = main.size() > maximum - 0.1 * maximum;
      if (overShare && mutant != Mutant.PROMOTION_DOES_NOT_EVICT) {
        evictFromMain();
      }
    }
  }

  private void evictFromMain() {
    while (!main.isEmpty()) {
      int object = main.remove();
      int hits = frequency.get(object);
      if (hits == 0) {
        frequency.remove(object);
        if (mutant == Mutant.MAIN_EVICTS_TO_GHOST) {
          remember(object);
        }
        return;
      }
      frequency.put(object, mutant == Mutant.MAIN_CLEARS_COUNTER ? 0 : hits - 1);
      main.add(object);
    }
  }

  private void remember(int object) {
    if (ghostLimit == 0) {
      return;
    }
    for (Iterator<Integer> oldest = ghost.iterator(); ghost.size() >= ghostLimit; ) {
      oldest.next();
      oldest.remove();
    }
    ghost.add(object);
  }
}
