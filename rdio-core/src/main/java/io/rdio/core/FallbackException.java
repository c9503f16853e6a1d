// SPDX-License-Identifier: Apache-2.0
package io.rdio.core;

import org.jspecify.annotations.Nullable;

/**
 * RDIO cannot serve this; stock HDFS shall. Checked, so that no caller forgets the other way, and
 * without a stack trace of its own: it is an answer, not an accident (an accident is its cause).
 */
public class FallbackException extends Exception {
  private final FallbackReason reason;
  private final String detail;

  public FallbackException(FallbackReason reason, String detail) {
    this(reason, detail, null);
  }

  /**
   * @param detail what, where and the value, without the reason's own text
   */
  public FallbackException(FallbackReason reason, String detail, @Nullable Throwable cause) {
    super(reason + ": " + detail, cause, false, false);
    this.reason = reason;
    this.detail = detail;
  }

  public FallbackReason reason() {
    return reason;
  }

  /** What, where and the value, for the log and for {@code rdio doctor}. */
  public String detail() {
    return detail;
  }
}
