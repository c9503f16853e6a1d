// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.workload.Zipf;
import java.io.IOException;
import java.util.SplittableRandom;

/**
 * YCSB's workload C (Cooper et al., SoCC'10): reads only, of records of 1 KB, so that four share a
 * block. Popular records lie anywhere, as YCSB's scrambled Zipf distribution has it.
 *
 * @param exponent of the Zipf distribution; 0 is uniform
 * @param readsPerBlock how many reads there are for each block of the data set
 * @param seed of where popular records lie, and of the reads of node 0
 * @param node whose reads these are
 */
record YcsbC(double exponent, int readsPerBlock, long seed, int node) implements Workload {
  private static final int RECORD_BYTES = 1000 + 24; // Ten fields of 100 B; the key.
  private static final int RECORDS_PER_BLOCK = BLOCK_BYTES / RECORD_BYTES;

  /** Of node 0. */
  YcsbC(double exponent, int readsPerBlock, long seed) {
    this(exponent, readsPerBlock, seed, 0);
  }

  @Override
  public Workload ofNode(int other) {
    return new YcsbC(exponent, readsPerBlock, seed, other);
  }

  @Override
  public String label() {
    return exponent == 0 ? "ycsb-c-uniform" : "ycsb-c-zipf" + exponent;
  }

  @Override
  public boolean isSequential() {
    return false;
  }

  @Override
  public void replay(int blocks, Reader reader) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    int records = Math.multiplyExact(blocks, RECORDS_PER_BLOCK);
    int[] places = Zipf.shuffled(records, random);
    if (node != 0) {
      random = new SplittableRandom(seed + node);
    }
    Zipf zipf = new Zipf(records, exponent);
    long reads = (long) blocks * readsPerBlock;
    for (long i = 0; i < reads; i++) {
      reader.read(places[zipf.rank(random)] / RECORDS_PER_BLOCK, 1);
    }
  }
}
