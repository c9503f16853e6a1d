// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.exclusive.eviction.EvictionTracer;

/** KTracer as it is, or with something left out to see what that is worth. */
enum KtracerVariant {
  AS_IT_IS("as it is", true, true),
  WITHOUT_EXTENT_CACHE("without Extent Cache", false, true),
  WITHOUT_BATCHING("without batching", true, false),
  WITHOUT_BOTH("without both", false, false);

  private final String label;
  private final boolean extentCache;
  private final boolean batching;

  KtracerVariant(String label, boolean extentCache, boolean batching) {
    this.label = label;
    this.extentCache = extentCache;
    this.batching = batching;
  }

  /** Its name in tables. */
  String label() {
    return label;
  }

  /**
   * A cache of no extents forgets each window as soon as it was used, so that every eviction asks
   * the file system; where no segment may wait, what was evicted is told as it comes.
   */
  EvictionTracer.Settings settings() {
    EvictionTracer.Settings all = EvictionTracer.Settings.DEFAULT;
    return new EvictionTracer.Settings(
        all.patience(),
        all.enough(),
        batching ? all.maxWaiting() : 0,
        all.keptRuns(),
        extentCache ? all.extents() : 0,
        all.rescan());
  }
}
