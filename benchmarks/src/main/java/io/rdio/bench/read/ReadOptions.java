// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import java.util.List;

/**
 * What {@code bench read} is to read.
 *
 * @param threads that read at the same time, each a file of its own in sequential passes
 * @param fileBytes of each of these files
 * @param sizes of positional reads
 * @param rounds that are measured, behind one that is not
 * @param seconds of each pass of positional reads
 * @param firstBytes files whose first byte each pass reads
 */
record ReadOptions(
    int threads, long fileBytes, List<Integer> sizes, int rounds, double seconds, int firstBytes) {
  private static final long UNIT = 1L << 20;

  /** Content and place of a small file do not matter for its first byte. */
  static final long SMALL_FILE_BYTES = 512L << 10;

  /**
   * Checks them.
   *
   * @param bytes of all files of the sequential passes; a whole number of MiB of it goes to each
   * @throws IllegalArgumentException naming option and value
   */
  static ReadOptions of(
      int threads, long bytes, List<Integer> sizes, int rounds, double seconds, int firstBytes) {
    requirePositive("--threads", threads);
    requirePositive("--rounds", rounds);
    requirePositive("--files", firstBytes);
    if (!(seconds > 0)) {
      throw new IllegalArgumentException("--seconds " + seconds + ": must be greater than 0");
    }
    long fileBytes = bytes / threads / UNIT * UNIT;
    if (fileBytes < UNIT) {
      throw new IllegalArgumentException(
          "--size " + bytes + ": less than 1m for each of " + threads + " threads");
    }
    for (int size : sizes) {
      if (size > fileBytes) {
        throw new IllegalArgumentException(
            "--sizes " + size + ": more than the " + fileBytes + " bytes of a thread's file");
      }
    }
    return new ReadOptions(threads, fileBytes, sizes, rounds, seconds, firstBytes);
  }

  private static void requirePositive(String option, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(option + " " + value + ": must be 1 or more");
    }
  }
}
