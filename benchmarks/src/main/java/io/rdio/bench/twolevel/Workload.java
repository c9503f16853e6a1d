// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.io.IOException;

/** Reads of a data set, the same in every run. Blocks have {@value #BLOCK_BYTES} bytes. */
interface Workload {
  /** The page size, which is also the unit of block descriptors. */
  int BLOCK_BYTES = 4096;

  /** Takes the reads. */
  @FunctionalInterface
  interface Reader {
    /** Reads {@code blocks} blocks, at least 1, from {@code first} on. */
    void read(int first, int blocks) throws IOException;
  }

  /** Its name in tables. */
  String label();

  /**
   * The same for another compute node: of the same data, some of it as popular, in an order of its
   * own.
   *
   * @param node 0 for this one
   */
  Workload ofNode(int node);

  /** Whether it scans, so that its reader's kernel should read ahead. */
  boolean isSequential();

  /**
   * Does all reads, in order.
   *
   * @param blocks of the data set; no read goes beyond
   */
  void replay(int blocks, Reader reader) throws IOException;
}
