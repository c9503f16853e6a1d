// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@link FallbackLog} writes about one read or one new file, as it is written and as {@code
 * rdio doctor --job} reads what is about reads. Immutable.
 */
public final class FallbackLine {
  static final String BY_STOCK = "stock HDFS reads";
  static final String WRITTEN_BY_STOCK = "stock HDFS writes";
  static final String BY_NEXT_WAY = "not the agent but the next way reads";

  /** At DEBUG: who reads or writes, the file's name, and a refusal's message. */
  static final String QUIET = "RDIO: {} {}: {}";

  private static final String FIX = "]. Fix: ";
  private static final String QUIET_NOW = " More of these are logged at DEBUG only.";

  private final String reason;
  private final String detail;

  private FallbackLine(String reason, String detail) {
    this.reason = reason;
    this.detail = detail;
  }

  /** A refusal, with what mostly helps. */
  static String refused(String who, FallbackException refusal, String fileName) {
    FallbackReason reason = refusal.reason();
    String what = reason.text() + " [" + reason + ": " + refusal.detail();
    return "RDIO: " + who + " " + fileName + ": " + what + FIX + reason.fix() + "." + QUIET_NOW;
  }

  /** An accident, whose trace the log has behind it. */
  static String failed(String who, FallbackReason reason, String fileName) {
    return "RDIO: "
        + reason.text()
        + " ["
        + reason
        + "]; "
        + who
        + " "
        + fileName
        + "."
        + QUIET_NOW;
  }

  /**
   * What a line of a log says, whatever stands before and behind it there.
   *
   * @return null if it is none of these
   */
  public static @Nullable FallbackLine parse(String logLine) {
    int begin = logLine.indexOf("RDIO: ");
    if (begin < 0) {
      return null;
    }
    Matcher refused = Grammar.REFUSED.matcher(logLine).region(begin, logLine.length());
    if (refused.lookingAt()) {
      return new FallbackLine(refused.group(1), detail(logLine.substring(refused.end())));
    }
    Matcher failed = Grammar.FAILED.matcher(logLine).region(begin, logLine.length());
    return failed.lookingAt() ? new FallbackLine(failed.group(1), "") : null;
  }

  private static String detail(String behindName) {
    int end = behindName.indexOf(FIX);
    return end < 0 ? behindName : behindName.substring(0, end);
  }

  /** The {@link FallbackReason}'s name; a log may be of another version, which had other names. */
  public String reason() {
    return reason;
  }

  /** What, where and the value; empty for an accident. */
  public String detail() {
    return detail;
  }

  /** For reading only: processes that read blocks load none of it. */
  private static final class Grammar {
    private static final String NAME = "([A-Z][A-Z0-9_]{2,63})";

    /** No path in HDFS has a colon. */
    static final Pattern REFUSED =
        Pattern.compile(
            "RDIO: (?:"
                + BY_STOCK
                + "|"
                + BY_NEXT_WAY
                + ") [^:]{1,8192}: (?:[^\\[]{1,300}\\[)?"
                + NAME
                + ": ");

    static final Pattern FAILED =
        Pattern.compile("RDIO: [^\\[]{1,300} \\[" + NAME + "\\]; " + BY_STOCK + " ");

    private Grammar() {}
  }
}
