// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A file in HDFS whose bytes follow from a seed, so that every read of it can be checked. */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SeededFile(Path path, byte[] bytes) {
  /** Writes it, replacing what was there. */
  public static SeededFile write(FileSystem fs, String path, int length, long seed)
      throws IOException {
    SeededFile file = new SeededFile(new Path(path), random(length, seed));
    // Not closed where it fails: closing fails again, with the same exception, and hides the cause.
    FSDataOutputStream out = fs.create(file.path, true);
    out.write(file.bytes);
    out.close();
    return file;
  }

  public static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  public byte[] range(int from, int to) {
    return Arrays.copyOfRange(bytes, from, to);
  }

  /** Fails unless these are the bytes from an offset on. */
  public void check(long offset, byte[] got) {
    // Without AssertJ's description of both arrays: they are megabytes.
    int start = Math.toIntExact(offset);
    int mismatch = Arrays.mismatch(bytes, start, start + got.length, got, 0, got.length);
    assertThat(mismatch)
        .as("first wrong byte of " + path + " in a read of " + got.length + " at " + offset)
        .isEqualTo(-1);
  }
}
