// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.util.List;

/**
 * Files that are to be written.
 *
 * @param bytes of each
 * @param arrayBytes that the application hands over at a time, 8 to {@link #ARRAY_BYTES_MAX}
 * @param blockBytes of the blocks that the files are created with, as HDFS allows them
 * @param replication that they are created with; 1 where they are to be erasure-coded
 */
public record Output(long bytes, int arrayBytes, long blockBytes, int replication) {
  /** The longest array: what a thread that writes keeps in memory. */
  public static final int ARRAY_BYTES_MAX = 8 << 20;

  /** The smallest block that a NameNode accepts, in bytes. */
  private static final long BLOCK_UNIT = 1L << 20;

  /** The length of the smallest block, of whole MiB, that holds so many bytes. */
  public static long blockFor(long bytes) {
    return (bytes + BLOCK_UNIT - 1) / BLOCK_UNIT * BLOCK_UNIT;
  }

  /** SHA-256 of files of these names, in hexadecimal digits. */
  public List<String> sha256(List<String> files) {
    Content content = new Content(arrayBytes);
    return files.stream().map(file -> content.sha256(file, bytes)).toList();
  }
}
