// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether this program may mount, and look into directories of others. Its user alone does not say
 * so: a service of root's may have been left without root's capabilities.
 */
final class MountRights {
  private static final String USERS = "Uid:";
  private static final String CAPABILITIES = "CapEff:";
  private static final long CAP_DAC_OVERRIDE = 1L << 1;
  private static final long CAP_DAC_READ_SEARCH = 1L << 2;
  private static final long CAP_SYS_ADMIN = 1L << 21;

  private MountRights() {}

  /**
   * Why not, and what mends that; empty if it may.
   *
   * @param status what the kernel says of the program, {@code /proc/self/status}
   */
  static Optional<String> whyUnable(Path status) throws IOException {
    String user = "";
    long capabilities = 0;
    // Its name, the first line, may be of any bytes.
    for (String line : new String(Files.readAllBytes(status), UTF_8).split("\n", -1)) {
      if (line.startsWith(USERS)) {
        user = line.substring(USERS.length()).strip().split("\\s+", -1)[0];
      } else if (line.startsWith(CAPABILITIES)) {
        capabilities = Long.parseUnsignedLong(line.substring(CAPABILITIES.length()).strip(), 16);
      }
    }
    if (!user.equals("0")) {
      return Optional.of(
          "this program does not run as root, which mounting takes; fix: have the agent of this"
              + " host run as root (docs/agent.md), and read by it");
    }
    boolean looks = (capabilities & (CAP_DAC_OVERRIDE | CAP_DAC_READ_SEARCH)) != 0;
    if ((capabilities & CAP_SYS_ADMIN) == 0 || !looks) {
      return Optional.of(
          "this program runs as root without CAP_SYS_ADMIN or CAP_DAC_READ_SEARCH, which mounting"
              + " and looking at what is mounted take; fix: leave them to it (docs/agent.md has"
              + " what the agent's unit takes)");
    }
    return Optional.empty();
  }
}
