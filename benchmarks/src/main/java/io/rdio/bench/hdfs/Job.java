// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import java.util.List;

/**
 * Fresh JVMs that read a file each to nowhere.
 *
 * @param command of {@code hdfs dfs} that reads it
 * @param files one for each JVM
 * @param bytesEach what the command reads of each
 * @param options of each JVM
 * @param atOnce JVMs that run at the same time
 */
public record Job(
    String command, List<String> files, long bytesEach, List<String> options, int atOnce) {
  /** What {@code -head} reads. */
  private static final long HEAD_BYTES = 1 << 10;

  public Job {
    files = List.copyOf(files);
    options = List.copyOf(options);
  }

  /** Reads whole files of so many bytes. */
  public static Job cat(List<String> files, long bytesEach, int atOnce) {
    return new Job("-cat", files, bytesEach, List.of(), atOnce);
  }

  /** The same JVMs, but they hardly read: what is left is what a JVM takes. */
  public Job bare() {
    return new Job("-head", files, HEAD_BYTES, options, atOnce);
  }

  /** The same by JVMs with these options. */
  public Job with(List<String> more) {
    return new Job(command, files, bytesEach, more, atOnce);
  }
}
