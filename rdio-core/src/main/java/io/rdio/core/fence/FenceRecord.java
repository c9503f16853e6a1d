// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * That a host is shut out of a device, as a file keeps it. Immutable.
 *
 * @param host that is shut out, in its {@linkplain HostKey#name one form}
 * @param wwid of the device
 * @param by the host that shuts it out, in the same form
 * @param since when it came to this state
 */
public record FenceRecord(String host, String wwid, String by, FenceState state, Instant since) {
  /** Bytes that it has at most. */
  static final int MAX_BYTES = 4096;

  private static final String FIRST_LINE = "rdio fence record 1";
  private static final String LAST_LINE = "end";
  private static final String HOST = "host ";
  private static final String DEVICE = "device ";
  private static final String BY = "by ";
  private static final String STATE = "state ";
  private static final String SINCE = "since ";
  private static final int LINES = 7;

  /** The same in a later state. */
  FenceRecord to(FenceState later, Instant now) {
    return new FenceRecord(host, wwid, by, later, now);
  }

  /** As it is in its file. */
  byte[] encode() {
    List<String> lines =
        List.of(
            FIRST_LINE,
            HOST + host,
            DEVICE + wwid,
            BY + by,
            STATE + state.name().toLowerCase(Locale.ROOT),
            SINCE + since,
            LAST_LINE);
    return (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** What was encoded; empty for anything else, also for what was cut short. */
  static Optional<FenceRecord> parse(byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      return Optional.empty();
    }
    // What has other bytes than the record that it says was not written by this class.
    return of(List.of(new String(bytes, StandardCharsets.UTF_8).split("\n", -1)))
        .filter(record -> Arrays.equals(record.encode(), bytes));
  }

  private static Optional<FenceRecord> of(List<String> lines) {
    if (lines.size() != LINES + 1
        || !lines.get(0).equals(FIRST_LINE)
        || !lines.get(LINES - 1).equals(LAST_LINE)) {
      return Optional.empty();
    }
    String host = value(lines.get(1), HOST);
    String wwid = value(lines.get(2), DEVICE);
    String by = value(lines.get(3), BY);
    String state = value(lines.get(4), STATE);
    String since = value(lines.get(5), SINCE);
    if (host == null || wwid == null || by == null || state == null || since == null) {
      return Optional.empty();
    }
    if (!HostKey.isName(host) || !HostKey.isName(by)) {
      return Optional.empty(); // whoever has a record asks for the keys of its hosts
    }
    try {
      return Optional.of(
          new FenceRecord(
              host,
              wwid,
              by,
              FenceState.valueOf(state.toUpperCase(Locale.ROOT)),
              Instant.parse(since)));
    } catch (IllegalArgumentException | DateTimeException e) {
      return Optional.empty();
    }
  }

  private static @Nullable String value(String line, String name) {
    return line.startsWith(name) ? line.substring(name.length()) : null;
  }
}
