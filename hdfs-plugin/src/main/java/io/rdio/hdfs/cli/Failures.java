// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.stream.Collectors;

/** Failures in words for people. */
final class Failures {
  private Failures() {}

  /** What failed, where, the value and the fix. */
  static String text(Exception e) {
    return e instanceof FallbackException refusal
        ? text(refusal) + "; fix: " + refusal.reason().fix()
        : message(e);
  }

  /** A refusal without its fix. */
  static String text(FallbackException refusal) {
    return text(refusal.reason(), refusal.detail());
  }

  /** A refusal as a DataNode or a counter names it, without its fix. */
  static String text(FallbackReason reason, String detail) {
    return reason + ": " + reason.text() + (detail.isEmpty() ? "" : " (" + detail + ")");
  }

  /** The message without the server's stack trace, which Hadoop sends behind it. */
  static String message(Throwable e) {
    String message = e.getMessage();
    return message == null || message.isBlank()
        ? e.toString()
        : message
            .lines()
            .takeWhile(line -> !line.startsWith("\tat "))
            .collect(Collectors.joining("\n"));
  }
}
