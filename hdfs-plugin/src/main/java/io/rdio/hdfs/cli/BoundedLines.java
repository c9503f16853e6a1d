// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/**
 * Lines of whatever somebody hands us, in bounded memory: of each the beginning, whatever follows
 * until its end is passed over. Bytes that are no UTF-8 become U+FFFD. Not thread-safe.
 */
final class BoundedLines {
  /** More than any line of RDIO's has; a log's layout may wrap it in some more. */
  static final int LINE_MAX = 16 << 10;

  private final Reader in;
  private final char[] buffer = new char[8 << 10];
  private final StringBuilder line = new StringBuilder();
  private int next;
  private int end;

  BoundedLines(InputStream in) {
    this.in = new InputStreamReader(in, UTF_8);
  }

  /** The next line without its end, at most {@link #LINE_MAX} characters of it; null at the end. */
  @Nullable String next() throws IOException {
    line.setLength(0);
    boolean any = false;
    while (next < end || fill()) {
      any = true;
      int from = next;
      while (next < end && buffer[next] != '\n') {
        next++;
      }
      line.append(buffer, from, Math.min(next - from, LINE_MAX - line.length()));
      if (next < end) {
        next++;
        return line.toString();
      }
    }
    return any ? line.toString() : null;
  }

  private boolean fill() throws IOException {
    next = 0;
    end = Math.max(0, in.read(buffer));
    return end > 0;
  }
}
