// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.io.IOException;
import java.util.regex.Pattern;

/**
 * What a writer was told of the end of its file.
 *
 * @param isClosed whether its close returned
 * @param text SHA-256 of what was written, if it is closed, else what the first call threw that
 *     failed
 */
record WriteAnswer(boolean isClosed, String text) {
  private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");
  private static final String FAILED = "failed ";

  /**
   * By the lines that {@link WriterMain} answers with.
   *
   * @param wrote to its last write
   * @param closed to its close
   */
  static WriteAnswer parse(String wrote, String closed) throws IOException {
    if (wrote.equals("wrote") && SHA_256.matcher(closed).matches()) {
      return new WriteAnswer(true, closed);
    }
    String failed = wrote.equals("wrote") ? closed : wrote;
    // A close that returns behind a write that failed has closed something else than was written.
    if (!failed.startsWith(FAILED) || !closed.startsWith(FAILED)) {
      throw new IOException(
          "a writer was to write and to close, and says: " + wrote + ", " + closed);
    }
    return new WriteAnswer(false, failed.substring(FAILED.length()));
  }

  /** Whether it is closed, or names the file and why it is not. */
  boolean isPlain(String file) {
    return isClosed || text.contains("RDIO: " + file + ": ");
  }
}
