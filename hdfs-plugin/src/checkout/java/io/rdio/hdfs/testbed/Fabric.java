// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import io.rdio.hdfs.cluster.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What can be done to the fabric; the script {@code fabric} does it.
 *
 * @param script where it is
 */
record Fabric(Path script) {
  /** Subsystem whose namespace is the DataNode's first volume as a whole. */
  static final String VOLUME = "volume";

  /** Subsystem whose namespace's first partition is the DataNode's second volume. */
  static final String PARTITIONED = "partitioned";

  /** Where the DataNode's host has mounted its volumes. */
  static final List<Path> VOLUMES =
      List.of(Path.of("/run/volumes/whole"), Path.of("/run/volumes/partition"));

  /** Connects a host to subsystems, in this order; returns when it has their devices. */
  void connect(Host host, String... subsystems) throws IOException {
    List<String> words = new ArrayList<>(List.of("connect", host.label()));
    words.addAll(List.of(subsystems));
    run(words.toArray(String[]::new));
  }

  /** Deletes a host's controller, as {@code nvme disconnect} does. */
  void disconnect(Host host, String subsystem) throws IOException {
    run("disconnect", host.label(), subsystem);
  }

  /** The kernel's name of a host's device. */
  String device(Host host, String subsystem) throws IOException {
    return run("device", host.label(), subsystem);
  }

  /** The kernel's name of a host's controller. */
  String controller(Host host, String subsystem) throws IOException {
    return run("controller", host.label(), subsystem);
  }

  /** The device that the target's namespace is, such as /dev/loop0. */
  String exported(String subsystem) throws IOException {
    return run("exported", subsystem);
  }

  /** Bytes that a host has sent over its link to the storage node, headers included. */
  long sentToStorage(Host host) throws IOException {
    return Long.parseLong(run("sent_to_storage", host.label()));
  }

  /** Pulls a host's cable to the storage node, or puts it back. */
  void storageLink(Host host, boolean up) throws IOException {
    run("storage_link", host.label(), up ? "up" : "down");
  }

  /** Enables or disables the target's namespace, for all hosts. */
  void namespace(String subsystem, boolean enabled) throws IOException {
    run("namespace", subsystem, enabled ? "1" : "0");
  }

  /** Gives hosts the nodes of the devices that they have now, as udev does. */
  void addNodes(Host host) throws IOException {
    run("add_nodes", host.label());
  }

  /** Makes the target's namespace larger; returns when the hosts see it. */
  void grow(String subsystem, long bytes) throws IOException {
    run("grow", subsystem, "/dev/shm/" + subsystem, Long.toString(bytes));
  }

  /**
   * Writes the DataNode's volumes back and drops this kernel's page cache: what is read next comes
   * over the fabric. (The target's loop devices lie on memory, which is not dropped.)
   */
  void dropPageCache() throws IOException {
    for (Path volume : VOLUMES) {
      Shell.run("sync", "-f", volume.toString());
    }
    Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "1");
  }

  private String run(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("bash", script.toString()));
    command.addAll(List.of(words));
    return Shell.run(command.toArray(String[]::new));
  }
}
