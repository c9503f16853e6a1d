// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.Closeable;
import java.io.IOException;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** What a test has opened, for its end. */
public final class Resources {
  private Resources() {}

  /**
   * Closes all of them in this order, whatever becomes of those before: a mount that outlives its
   * test keeps its devices, and what serves them.
   *
   * @param opened null where the test did not come to that
   * @throws Exception that of the first one that failed, with the others' in it
   */
  public static void close(@Nullable AutoCloseable... opened) throws Exception {
    Exception failure = null;
    for (AutoCloseable each : opened) {
      try {
        if (each != null) {
          each.close();
        }
      } catch (Exception e) {
        if (failure == null) {
          failure = e;
        } else if (failure != e) {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Closes and removes what a fixture has opened, the last one that was pushed first, whatever
   * becomes of those before.
   *
   * @throws IOException that of the first one that failed, with the others' in it
   */
  public static void closeAll(Deque<? extends Closeable> opened) throws IOException {
    Closeable oldest = opened.pollLast();
    if (oldest != null) {
      try (oldest) {
        closeAll(opened);
      }
    }
  }
}
