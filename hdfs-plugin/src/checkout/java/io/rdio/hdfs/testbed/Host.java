// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A host that processes can be on: a network namespace, and a /dev with its own devices. */
enum Host {
  DATANODE,
  CLIENT;

  /** As the fabric script calls it. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Has a command, not started yet, run on this host. */
  ProcessBuilder place(ProcessBuilder command) {
    List<String> placed = new ArrayList<>();
    placed.addAll(List.of("ip", "netns", "exec", label(), "sh", "-c"));
    // Each of them becomes the next, so that the process id is the command's own.
    placed.add("mount --bind /run/hosts/" + label() + "/dev /dev && exec \"$@\"");
    placed.add("sh");
    placed.addAll(command.command());
    return command.command(placed);
  }
}
