// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Flashield's admission as the S3-FIFO paper's authors simulate it: how often an object was hit in
 * memory says whether it is written to flash. That is learned once: counts are sampled in a first
 * part of the trace, and in a second one, as long, it is seen which of these objects are hit in
 * memory again; until then all is written. The authors have a support vector machine decide; with
 * this one feature, here each count is admitted if most of its objects were hit again.
 */
final class Flashield {
  /** Larger counts are this one. */
  private static final int MOST_HITS = 255;

  private final int part;
  private final int[] hits;
  private final int[] sampled;
  private final boolean[] hitAgain;
  private boolean @Nullable [] admitted;
  private int requests;

  /**
   * @param part requests of each of the two parts
   */
  Flashield(int objects, int part) {
    this.part = part;
    this.hits = new int[objects];
    this.sampled = new int[objects];
    this.hitAgain = new boolean[objects];
  }

  /** Before each request. */
  void next() {
    if (requests++ == 2 * part) {
      admitted = learn();
    }
  }

  /** An object comes to memory. */
  void inserted(int object) {
    if (requests <= part) {
      sampled[object] = 1;
    }
  }

  /** An object is hit in memory. */
  void hit(int object, SplittableRandom random) {
    hits[object] = Math.min(hits[object] + 1, MOST_HITS);
    if (requests > part) {
      hitAgain[object] = true;
    } else if (random.nextInt(hits[object]) == 0) {
      sampled[object] = hits[object];
    }
  }

  private boolean[] learn() {
    int[] votes = new int[MOST_HITS + 1];
    boolean[] seen = new boolean[MOST_HITS + 1];
    for (int object = 0; object < sampled.length; object++) {
      seen[sampled[object]] = true;
      votes[sampled[object]] += hitAgain[object] ? 1 : -1;
    }
    boolean[] learned = new boolean[MOST_HITS + 1];
    for (int count = 1; count <= MOST_HITS; count++) {
      learned[count] = seen[count] ? votes[count] > 0 : learned[count - 1];
    }
    return learned;
  }

  /** Whether an object that leaves memory is written to flash. */
  boolean admits(int object) {
    return admitted == null || admitted[Math.max(1, hits[object])]; // no sample has 0
  }
}
