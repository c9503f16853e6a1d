// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

/** What a {@link Router} weighs, and what a look at the other route says of it then. */
enum Weighed {
  /** Single reads, which are cold: {@link Trial}s find out. */
  READS(true, 1.0 / 4, 8),
  /** Sets of ranges. Some are of a few KiB, and what one takes is chance. */
  SETS(false, 1.0 / 4, 8),
  /** Units of runs. A look is a whole one, behind what warms it up. */
  RUNS(false, 1.0 / 2, 3);

  /** Whether reads in a row are tried. */
  final boolean tries;

  /** Weight of a look against all before. */
  final double lookWeight;

  /** Looks in a row that must find the other route better. */
  final int looks;

  Weighed(boolean tries, double lookWeight, int looks) {
    this.tries = tries;
    this.lookWeight = lookWeight;
    this.looks = looks;
  }
}
