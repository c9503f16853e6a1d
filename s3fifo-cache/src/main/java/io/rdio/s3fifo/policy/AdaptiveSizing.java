// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

/**
 * S3-FIFO-D (§6.2 of the paper): finds the small queue's share by the marginal hits of either
 * queue.
 *
 * <p>Two short shadow queues, each of 5% of the cached entries, remember who was just evicted from
 * small and from main. Whenever they have had more than 100 hits together and one of them more than
 * twice the other's, that queue is too short and 0.1% of the cache moves to it.
 *
 * <p>The paper leaves open how old hits fade and how far a share may go: as in the authors'
 * simulator (libCacheSim, S3FIFOd.c) the counts are multiplied by 0.8 after each decision, and
 * neither queue gets less than 1% of the cache. That simulator differs from the paper's text in the
 * shadow queues, 10% each, and in the step, 0.1% of the shorter queue; here the text counts. Not
 * thread-safe.
 */
final class AdaptiveSizing {
  private static final double SHADOW_RATIO = 0.05;
  private static final double STEP = 0.001;
  private static final double LEAST_SHARE = 0.01;
  private static final int HITS_TO_DECIDE = 100;
  private static final double FADING = 0.8;

  private final GhostQueue smallShadow = new GhostQueue();
  private final GhostQueue mainShadow = new GhostQueue();
  private double smallRatio;
  private int smallHits;
  private int mainHits;

  AdaptiveSizing(double smallRatio) {
    this.smallRatio = smallRatio;
  }

  /** Returns the small queue's share of the cache now. */
  double smallRatio() {
    return smallRatio;
  }

  /** Notes an eviction from the small queue of a cache that holds {@code entries}. */
  void evictedFromSmall(int hash, long entries) {
    smallShadow.add(hash, shadowLimit(entries));
  }

  /** Notes an eviction from the main queue of a cache that holds {@code entries}. */
  void evictedFromMain(int hash, long entries) {
    mainShadow.add(hash, shadowLimit(entries));
  }

  /** Notes a miss and returns whether {@link #smallRatio} has changed. */
  boolean missed(int hash) {
    boolean hit = false;
    if (smallShadow.remove(hash)) {
      smallHits++;
      hit = true;
    }
    if (mainShadow.remove(hash)) {
      mainHits++;
      hit = true;
    }
    return hit && smallHits + mainHits > HITS_TO_DECIDE && decide();
  }

  private boolean decide() {
    double before = smallRatio;
    if (smallHits > 2 * mainHits) {
      smallRatio = Math.min(smallRatio + STEP, 1 - LEAST_SHARE);
    } else if (mainHits > 2 * smallHits) {
      smallRatio = Math.max(smallRatio - STEP, LEAST_SHARE);
    }
    smallHits = (int) (smallHits * FADING);
    mainHits = (int) (mainHits * FADING);
    return smallRatio != before;
  }

  private static long shadowLimit(long entries) {
    return Math.max(1, (long) (entries * SHADOW_RATIO));
  }
}
