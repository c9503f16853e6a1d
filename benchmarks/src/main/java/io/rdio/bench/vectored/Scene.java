// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.vectored;

/** How Parquet's reader asks for the columns of a row group. */
enum Scene {
  /** For one after the other, each as a stream. */
  STREAMED("one by one"),
  /** For all of them by one {@code readVectored}. */
  VECTORED("readVectored");

  private final String label;

  Scene(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
