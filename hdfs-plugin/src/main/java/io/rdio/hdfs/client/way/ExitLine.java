// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;
import org.jspecify.annotations.Nullable;

/**
 * The line that a process leaves in its log when it ends, as it is written and as {@code rdio
 * doctor --job} reads it: bytes are rounded to half a percent there. Immutable.
 */
public final class ExitLine {
  private static final String BEGIN = "RDIO: ";
  private static final String FROM_HDFS = " read from HDFS, ";
  private static final String BY_RDIO = " of it by RDIO ";
  private static final String BY_AGENT = " by the agent of this host, ";
  private static final String BY_DEVICES = " from devices opened by this process";
  private static final String REASONS = ". Stock HDFS read for: ";
  private static final String NOTHING = "nothing";
  private static final int DECIMALS = 2;

  private final long fromHdfs;
  private final long byRdio;
  private final long byAgent;
  private final Map<String, Long> reasons;

  private ExitLine(long fromHdfs, long byRdio, long byAgent, Map<String, Long> reasons) {
    this.fromHdfs = fromHdfs;
    this.byRdio = byRdio;
    this.byAgent = byAgent;
    this.reasons = Collections.unmodifiableMap(reasons);
  }

  /**
   * What to write.
   *
   * @param fromHdfs bytes that the process read from HDFS, by any way
   */
  public static ExitLine of(ClientCounters counters, long fromHdfs) {
    long byRdio = counters.rdioBytes.sum();
    long all = Math.max(fromHdfs, byRdio + counters.stockBytes.sum());
    long byAgent = Math.min(byRdio, counters.agentBytes.sum()); // others may read meanwhile
    return new ExitLine(all, byRdio, byAgent, reasons(counters));
  }

  /** Those for which stock HDFS read, the most frequent first. */
  private static Map<String, Long> reasons(ClientCounters counters) {
    List<FallbackReason> counted = new ArrayList<>();
    for (FallbackReason reason : FallbackReason.values()) {
      if (counters.fallbacksToStock(reason) > 0) {
        counted.add(reason);
      }
    }
    counted.sort(
        (one, other) ->
            Long.compare(counters.fallbacksToStock(other), counters.fallbacksToStock(one)));
    Map<String, Long> reasons = new LinkedHashMap<>();
    for (FallbackReason reason : counted) {
      reasons.put(reason.name(), counters.fallbacksToStock(reason));
    }
    return reasons;
  }

  /**
   * What a line of a log says, whatever stands before and behind it there.
   *
   * @return null if it is none that a process of RDIO writes at its end
   */
  public static @Nullable ExitLine parse(String logLine) {
    if (!logLine.contains(FROM_HDFS)) {
      return null;
    }
    Matcher line = Grammar.LINE.matcher(logLine);
    if (!line.find()) {
      return null;
    }
    long all = Grammar.bytes(line, 1);
    long byRdio = Grammar.bytes(line, 3);
    long byAgent = line.group(5) == null ? 0 : Grammar.bytes(line, 5);
    boolean addsUp = byAgent <= byRdio && byRdio <= all;
    return addsUp ? new ExitLine(all, byRdio, byAgent, Grammar.reasons(logLine, line.end())) : null;
  }

  /** Bytes that the process read from HDFS, by any way. */
  public long fromHdfs() {
    return fromHdfs;
  }

  /** Those of them that came by RDIO. */
  public long byRdio() {
    return byRdio;
  }

  /** Those by RDIO that the agent of the host read. */
  public long byAgent() {
    return byAgent;
  }

  /**
   * How often stock HDFS read for which reason, by {@link FallbackReason}'s name; a log may be of
   * another version, which had other names.
   */
  public Map<String, Long> reasons() {
    return reasons;
  }

  /** The line. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(BEGIN).append(bytes(fromHdfs)).append(FROM_HDFS);
    text.append(bytes(byRdio)).append(BY_RDIO).append('(').append(percent()).append(')');
    if (byRdio > 0) {
      text.append(": ").append(bytes(byAgent)).append(BY_AGENT);
      text.append(bytes(byRdio - byAgent)).append(BY_DEVICES);
    }
    List<String> texts = new ArrayList<>();
    reasons.forEach((name, count) -> texts.add(name + " (" + count + ")"));
    return text.append(texts.isEmpty() ? "" : REASONS + String.join(", ", texts)).toString();
  }

  private String percent() {
    return fromHdfs == 0 ? NOTHING : (long) (100.0 * byRdio / fromHdfs) + " %";
  }

  private static String bytes(long count) {
    return TraditionalBinaryPrefix.long2String(count, "B", DECIMALS);
  }

  /** For reading only: processes that read blocks load none of it. */
  private static final class Grammar {
    private static final String SIZE = "(\\d{1,4}(?:\\.\\d\\d)?) ([KMGTPE]?)B";
    private static final String UNITS = "KMGTPE";

    static final Pattern LINE =
        Pattern.compile(
            BEGIN
                + SIZE
                + FROM_HDFS
                + SIZE
                + BY_RDIO
                + ("\\((?:" + NOTHING + "|\\d{1,3} %)\\)")
                + ("(?:: " + SIZE + BY_AGENT + SIZE + BY_DEVICES + ")?"));

    private static final Pattern REASON =
        Pattern.compile("\\G(?:, )?([A-Z][A-Z0-9_]{0,63}) \\((\\d{1,18})\\)");

    private Grammar() {}

    /** At least 0; a size that no machine has is as much as a long takes. */
    static long bytes(Matcher line, int group) {
      int unit = UNITS.indexOf(line.group(group + 1));
      int shift = line.group(group + 1).isEmpty() ? 0 : 10 * (unit + 1);
      return Math.round(Double.parseDouble(line.group(group)) * (1L << shift));
    }

    static Map<String, Long> reasons(String logLine, int from) {
      Map<String, Long> reasons = new LinkedHashMap<>();
      if (logLine.startsWith(REASONS, from)) {
        Matcher reason = REASON.matcher(logLine);
        reason.region(from + REASONS.length(), logLine.length());
        while (reason.find()) {
          reasons.put(reason.group(1), Long.parseLong(reason.group(2)));
        }
      }
      return reasons;
    }
  }
}
