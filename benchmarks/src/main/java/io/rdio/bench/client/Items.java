// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.bench.workload.Zipf;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

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
  private final @Nullable Zipf zipf; // none for uniform
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
    int ranks = zipfExponent == 0 ? 0 : Math.toIntExact(count());
    this.zipf = ranks == 0 ? null : new Zipf(ranks, zipfExponent);
    this.byRank = Zipf.shuffled(ranks, new SplittableRandom(seed));
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
    return zipf == null ? random.nextLong(count()) : byRank[zipf.rank(random)];
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
