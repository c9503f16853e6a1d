// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A host that processes can be on: a network namespace, and a /dev with its own devices. */
enum Host {
  DATANODE('d'),
  CLIENT('c'),

  /** A second host of clients, for the parts that need one. */
  OTHER('o'),

  /** Those of further DataNodes, for the parts that need several. */
  DATANODE2('e'),
  DATANODE3('f'),
  DATANODE4('g'),
  DATANODE5('h');

  private static final List<Host> DATANODES =
      List.of(DATANODE, DATANODE2, DATANODE3, DATANODE4, DATANODE5);

  private final char letter;

  Host(char letter) {
    this.letter = letter;
  }

  /** Those of so many DataNodes, in their order. */
  static List<Host> dataNodes(int count) {
    return DATANODES.subList(0, count);
  }

  /** The first letter of its interfaces' names, as the fabric script gives them. */
  char letter() {
    return letter;
  }

  /** As the fabric script calls it. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Has a command, not started yet, run on this host. */
  ProcessBuilder place(ProcessBuilder command) {
    return place(command, "mount --bind /run/hosts/" + label() + "/dev /dev && exec \"$@\"");
  }

  /**
   * The same of one that may do nothing to a device: it sees none, may make none, and has none of
   * root's capabilities but that to read the files of whoever built this.
   */
  ProcessBuilder placeWithoutRights(ProcessBuilder command) {
    StringBuilder script = new StringBuilder("mount -t tmpfs -o mode=755 dev /dev");
    script.append(" && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/zero c 1 5");
    script.append(" && mknod -m 666 /dev/random c 1 8 && mknod -m 666 /dev/urandom c 1 9");
    script.append(" && exec setpriv --inh-caps=-all --bounding-set=-all,+dac_override \"$@\"");
    return place(command, script.toString());
  }

  private ProcessBuilder place(ProcessBuilder command, String script) {
    List<String> placed = new ArrayList<>();
    placed.addAll(List.of("ip", "netns", "exec", label(), "sh", "-c"));
    // Each of them becomes the next, so that the process id is the command's own.
    placed.add(script);
    placed.add("sh");
    placed.addAll(command.command());
    return command.command(placed);
  }
}
