// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.io.IOException;
import java.time.Duration;

/** Something that is run, for one figure or several. Measures the same each time that it is run. */
interface Part {
  /** Its name, which files have: small letters, digits, hyphens. */
  String name();

  /** What is run, as somebody could type it, or in words. */
  String runs(boolean quick);

  /** It may not take longer. */
  Duration bound(boolean quick);

  /** Whether only root can. */
  boolean needsRoot();

  /** Whether it is run in a quick run. */
  default boolean inQuick() {
    return true;
  }

  /** Why this machine cannot run it, root or not; empty if it can. */
  default String obstacle() {
    return "";
  }

  /**
   * Runs it.
   *
   * @throws IOException if it failed or was not done in time
   */
  Measured run(Terms terms) throws IOException;
}
