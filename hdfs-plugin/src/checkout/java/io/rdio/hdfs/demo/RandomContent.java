// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/** A file's content that nothing can guess or compress, the same in every run. */
public final class RandomContent {
  private static final long SEED = 0x52_44_49_4FL;
  private static final int BUFFER_BYTES = 1 << 20;

  private RandomContent() {}

  /**
   * Writes so many bytes.
   *
   * @return their SHA-256 in hexadecimal
   */
  static String write(OutputStream out, long bytes, Progress progress) throws IOException {
    return write(out, SEED, bytes, progress::at);
  }

  /**
   * Writes so many bytes that belong to this seed.
   *
   * @param progress is told, as it grows, how many bytes are written
   * @return their SHA-256 in hexadecimal
   */
  public static String write(OutputStream out, long seed, long bytes, LongConsumer progress)
      throws IOException {
    MessageDigest digest = sha256();
    SplittableRandom random = new SplittableRandom(seed);
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    for (long done = 0; done < bytes; ) {
      buffer.clear();
      while (buffer.hasRemaining()) {
        buffer.putLong(random.nextLong());
      }
      int count = (int) Math.min(BUFFER_BYTES, bytes - done);
      digest.update(buffer.array(), 0, count);
      out.write(buffer.array(), 0, count);
      done += count;
      progress.accept(done);
    }
    return hex(digest);
  }

  /** A new SHA-256 of no bytes yet. */
  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** What a digest comes to, in hexadecimal; it starts anew. */
  public static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }
}
