// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * YCSB's workload C (Cooper et al., SoCC'10): reads only, of records of 1 KB, so that four share a
 * block. Popular records lie anywhere, as YCSB's scrambled Zipf distribution has it.
 *
 * @param exponent of the Zipf distribution; 0 is uniform
 * @param readsPerBlock how many reads there are for each block of the data set
 */
record YcsbC(double exponent, int readsPerBlock, long seed) implements Workload {
  private static final int RECORD_BYTES = 1000 + 24; // Ten fields of 100 B; the key.
  private static final int RECORDS_PER_BLOCK = BLOCK_BYTES / RECORD_BYTES;

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
    int[] places = shuffled(records, random);
    double[] cumulative = cumulative(records);
    double sum = cumulative[records - 1];
    long reads = (long) blocks * readsPerBlock;
    for (long i = 0; i < reads; i++) {
      int found = Arrays.binarySearch(cumulative, random.nextDouble() * sum);
      int rank = Math.min(found < 0 ? -found - 1 : found, records - 1);
      reader.read(places[rank] / RECORDS_PER_BLOCK, 1);
    }
  }

  private double[] cumulative(int records) {
    double[] cumulative = new double[records];
    double sum = 0;
    for (int rank = 0; rank < records; rank++) {
      sum += Math.pow(rank + 1, -exponent);
      cumulative[rank] = sum;
    }
    return cumulative;
  }

  /** Where the record of each rank lies. */
  private static int[] shuffled(int records, SplittableRandom random) {
    int[] places = new int[records];
    Arrays.setAll(places, i -> i);
    for (int i = records - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int place = places[i];
      places[i] = places[j];
      places[j] = place;
    }
    return places;
  }
}
