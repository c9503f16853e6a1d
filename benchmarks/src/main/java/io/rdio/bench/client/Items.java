// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What positional reads can read, and how often each is chosen. The files are cut into items, each
 * as long as the largest of the sizes; a read of an item takes its first bytes, as many as one of
 * the sizes, the same each time. Chosen uniformly or, as in YCSB, by a scrambled Zipf distribution:
 * which items are the popular ones has nothing to do with where they lie. Immutable.
 */
final class Items {
  private final long[] firstItems; // of each file; one more at the end
  private final int[] sizes;
  private final int itemBytes;
  private final double[] cumulative; // by rank; empty for uniform
  private final int[] byRank;

  /** One read: this many bytes at this offset of a file. */
  record Place(int file, long position, int bytes) {}

  /**
   * Cuts the files.
   *
   * @param lengths of the files in bytes
   * @param sizes of reads in bytes
   * @param zipfExponent 0 for uniform
   * @param seed of the scrambling
   * @throws IllegalArgumentException if no file has room for an item, or there are too many for a
   *     Zipf distribution
   */
  Items(long[] lengths, List<Integer> sizes, double zipfExponent, long seed) {
    this.sizes = sizes.stream().mapToInt(Integer::intValue).toArray();
    this.itemBytes = Arrays.stream(this.sizes).max().orElseThrow();
    this.firstItems = new long[lengths.length + 1];
    for (int i = 0; i < lengths.length; i++) {
      firstItems[i + 1] = firstItems[i] + lengths[i] / itemBytes;
    }
    if (count() == 0) {
      throw new IllegalArgumentException("no file has " + itemBytes + " bytes");
    }
    this.cumulative = zipfExponent == 0 ? new double[0] : cumulative(count(), zipfExponent);
    this.byRank = shuffled(cumulative.length, new SplittableRandom(seed));
  }

  private static double[] cumulative(long items, double exponent) {
    double[] sums = new double[Math.toIntExact(items)];
    double sum = 0;
    for (int rank = 0; rank < sums.length; rank++) {
      sum += Math.pow(rank + 1.0, -exponent);
      sums[rank] = sum;
    }
    return sums;
  }

  private static int[] shuffled(int count, SplittableRandom random) {
    int[] items = new int[count];
    Arrays.setAll(items, i -> i);
    for (int i = count - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int item = items[i];
      items[i] = items[other];
      items[other] = item;
    }
    return items;
  }

  /** How many there are. */
  long count() {
    return firstItems[firstItems.length - 1];
  }

  /** The longest read in bytes. */
  int itemBytes() {
    return itemBytes;
  }

  /** Chooses an item. */
  long choose(SplittableRandom random) {
    return cumulative.length == 0 ? random.nextLong(count()) : byRank[chooseRank(random)];
  }

  private int chooseRank(SplittableRandom random) {
    int last = cumulative.length - 1;
    int found = Arrays.binarySearch(cumulative, random.nextDouble() * cumulative[last]);
    return Math.min(found < 0 ? -found - 1 : found, last);
  }

  /** Where an item is, and how much of it is read. */
  Place place(long item) {
    int found = Arrays.binarySearch(firstItems, item);
    int file = found < 0 ? -found - 2 : found;
    while (firstItems[file + 1] == item) {
      file++; // A file too short for an item.
    }
    long mixed = new SplittableRandom(item).nextLong();
    int size = sizes[Math.floorMod(mixed, sizes.length)];
    return new Place(file, (item - firstItems[file]) * itemBytes, size);
  }
}
