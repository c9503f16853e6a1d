// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Whether this process may do what a command needs. {@code bin/rdio} does not know which commands
 * need root: it runs them as the user, and again by sudo if they end with {@link #MISSING}.
 */
public final class RootRights {
  /** The exit status that asks {@code bin/rdio} for sudo. */
  public static final int MISSING = 77;

  /** Set by a caller that understands {@link #MISSING}. */
  private static final String ASKED = "RDIO_SUDO";

  private static final Path STATUS = Path.of("/proc/self/status");
  private static final int CAP_SYS_ADMIN = 21;
  private static final int CAP_PERFMON = 38;
  private static final int CAP_BPF = 39;

  private RootRights() {}

  /** For eBPF programs: root has it, and whoever was given the two capabilities. */
  public static boolean mayLoadBpf() throws IOException {
    return mayLoadBpf(Files.readAllLines(STATUS));
  }

  static boolean mayLoadBpf(List<String> status) {
    return has(status, CAP_PERFMON) && has(status, CAP_BPF);
  }

  /** For reservations of devices, on each kernel: root has it, and whoever was given it. */
  static boolean mayReserve() throws IOException {
    return mayReserve(Files.readAllLines(STATUS));
  }

  static boolean mayReserve(List<String> status) {
    return has(status, CAP_SYS_ADMIN);
  }

  private static boolean has(List<String> status, int capability) {
    for (String line : status) {
      if (line.startsWith("CapEff:")) {
        long capabilities = Long.parseUnsignedLong(line.substring(7).trim(), 16);
        return (capabilities >> capability & 1) == 1;
      }
    }
    return false;
  }

  /**
   * What a command returns that has not what it needs.
   *
   * @param what it needs, for people
   * @throws IOException that says so, where nobody waits for the exit status
   */
  public static int missing(String what) throws IOException {
    if (System.getenv(ASKED) == null) {
      throw new IOException(what + ": run it as root, or by bin/rdio, which uses sudo");
    }
    return MISSING;
  }
}
