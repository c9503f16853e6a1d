// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.fs.FSDataInputStream;

/** What a caller hears of a read by position: its result and bytes, or why it failed. */
final class PositionalAnswers {
  private PositionalAnswers() {}

  /** A read. */
  @FunctionalInterface
  interface Asked {
    Object of(FSDataInputStream stream) throws IOException;
  }

  /** Fails unless two streams have the same answer. */
  static void same(FSDataInputStream in, FSDataInputStream as, Asked asked) {
    assertThat(heard(in, asked)).isEqualTo(heard(as, asked));
  }

  private static Object heard(FSDataInputStream stream, Asked asked) {
    try {
      return String.valueOf(asked.of(stream));
    } catch (IOException | RuntimeException e) {
      return e.getClass() + ": " + e.getMessage();
    }
  }

  static Object answer(FSDataInputStream in, long position, int count) throws IOException {
    byte[] got = new byte[count];
    return in.read(position, got, 0, count) + " " + Arrays.hashCode(got);
  }

  static Object answerFully(FSDataInputStream in, long position, int count) throws IOException {
    byte[] got = new byte[count];
    in.readFully(position, got, 0, count);
    return Arrays.hashCode(got);
  }

  static ByteBuffer buffer(int count, boolean direct) {
    return direct ? ByteBuffer.allocateDirect(count) : ByteBuffer.allocate(count);
  }

  static Object answer(FSDataInputStream in, long position, ByteBuffer buffer) throws IOException {
    int count = in.read(position, buffer);
    return count + " " + buffer.position() + " " + buffer.rewind().hashCode();
  }

  static Object answerFully(FSDataInputStream in, long position, ByteBuffer buffer)
      throws IOException {
    in.readFully(position, buffer);
    return buffer.position() + " " + buffer.rewind().hashCode();
  }
}
