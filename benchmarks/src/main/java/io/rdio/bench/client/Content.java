// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.hdfs.demo.RandomContent;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.SplittableRandom;

/**
 * What files are filled with, made beforehand so that a writer's time has little of it: the same
 * random bytes again and again, of which each array begins with a number that no other array of any
 * file has. So a part of a file that lies in another one's place, or is an older one's, shows in
 * the file's sum. For one thread.
 */
final class Content {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long SEED = 0x57_52_49_54_45L;

  private final byte[] bytes = new byte[Output.ARRAY_BYTES_MAX];
  private final int arrayBytes;
  private final int arrays;

  /**
   * @param arrayBytes of each array; see {@link Output}
   */
  Content(int arrayBytes) {
    if (arrayBytes < Long.BYTES || arrayBytes > Output.ARRAY_BYTES_MAX) {
      throw new IllegalArgumentException("arrays of " + arrayBytes + " bytes");
    }
    this.arrayBytes = arrayBytes;
    this.arrays = Output.ARRAY_BYTES_MAX / arrayBytes;
    SplittableRandom random = new SplittableRandom(SEED);
    for (int at = 0; at < bytes.length; at += Long.BYTES) {
      LONG.set(bytes, at, random.nextLong());
    }
  }

  /** Writes a file's content, array by array, and leaves the stream open. */
  void write(OutputStream out, String file, long length) throws IOException {
    long seed = seed(file);
    for (long done = 0; done < length; ) {
      int at = stamp(seed, done);
      int count = (int) Math.min(arrayBytes, length - done);
      out.write(bytes, at, count);
      done += count;
    }
  }

  /** SHA-256 of a file's content, in hexadecimal digits. */
  String sha256(String file, long length) {
    MessageDigest digest = RandomContent.sha256();
    long seed = seed(file);
    for (long done = 0; done < length; ) {
      int at = stamp(seed, done);
      int count = (int) Math.min(arrayBytes, length - done);
      digest.update(bytes, at, count);
      done += count;
    }
    return RandomContent.hex(digest);
  }

  /** Where the array is that is to be at a place of a file. */
  private int stamp(long seed, long done) {
    long number = done / arrayBytes;
    int at = (int) (number % arrays) * arrayBytes;
    LONG.set(bytes, at, seed + number);
    return at;
  }

  /** Far from that of any other file. */
  private static long seed(String file) {
    return new SplittableRandom(file.hashCode()).nextLong();
  }
}
