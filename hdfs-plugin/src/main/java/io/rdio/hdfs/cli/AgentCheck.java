// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.agent.ipc.AgentProbe;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;

/** What can be told of the agent of this host, from a process's end of its socket. */
final class AgentCheck {
  private static final String PREFIX = "rdio_agent_";

  private AgentCheck() {}

  /** Whether an agent answers that processes of this configuration ask. */
  static boolean run(Configuration conf, Findings findings) {
    findings.part("Agent of this host");
    try {
      String mode = RdioConfigKeys.CLIENT_AGENT.get(conf);
      if (mode.equals("off")) {
        findings.note(
            "agent", "not asked: " + RdioConfigKeys.CLIENT_AGENT + " is off" + themselves(conf));
        return false;
      }
      return answers(conf, mode.equals("required"), findings);
    } catch (IllegalArgumentException e) {
      findings.wrong("agent", FallbackReason.CONFIGURATION_INVALID, String.valueOf(e.getMessage()));
      return false;
    }
  }

  private static boolean answers(Configuration conf, boolean required, Findings findings) {
    try {
      Map<String, Long> figures = figures(conf);
      findings.ok(
          "agent",
          "listens at "
              + RdioConfigKeys.CLIENT_AGENT_SOCKET.get(conf)
              + "; serves "
              + figures.getOrDefault("processes", 0L)
              + " processes");
      return true;
    } catch (FallbackException e) {
      if (required || e.reason() == FallbackReason.AGENT_BUSY) {
        findings.wrong("agent", e);
      } else {
        findings.note("agent", "none (" + e.detail() + ")" + themselves(conf));
      }
      return false;
    }
  }

  private static String themselves(Configuration conf) {
    return RdioConfigKeys.CLIENT_DEVICE_AFTER.get(conf) == 0
        ? ": processes open devices themselves"
        : ": a process opens devices itself once it has read "
            + RdioConfigKeys.CLIENT_DEVICE_AFTER.written(conf)
            + " by stock HDFS ("
            + RdioConfigKeys.CLIENT_DEVICE_AFTER
            + "), or a minute after its first read";
  }

  /**
   * The agent's figures by their names.
   *
   * @throws FallbackException AGENT_UNAVAILABLE if none answers, AGENT_BUSY if it has no time
   */
  static Map<String, Long> figures(Configuration conf) throws FallbackException {
    NativeAvailability library = NativeLibrary.availability();
    if (!library.isAvailable()) {
      throw new FallbackException(
          FallbackReason.NATIVE_LIBRARY_UNAVAILABLE, library.detail(), library.cause());
    }
    String status =
        AgentProbe.status(
            RdioConfigKeys.CLIENT_AGENT_SOCKET.get(conf),
            RdioConfigKeys.CLIENT_RPC_TIMEOUT.get(conf).toNanos());
    Map<String, Long> figures = new TreeMap<>();
    for (String line : status.split("\n", -1)) {
      int space = line.lastIndexOf(' ');
      if (line.startsWith(PREFIX) && space > 0) {
        figures.put(
            line.substring(PREFIX.length(), space), Long.parseLong(line.substring(space + 1)));
      }
    }
    return figures;
  }
}
