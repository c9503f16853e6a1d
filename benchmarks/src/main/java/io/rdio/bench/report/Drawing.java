// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

/** A picture of this project's own. */
public interface Drawing {
  /** The picture as an element of a page: plain SVG that loads nothing. */
  String svg();
}
