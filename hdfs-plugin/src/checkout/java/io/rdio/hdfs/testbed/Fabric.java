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
 * @param dataNodes how many hosts have a DataNode
 */
record Fabric(Path script, int dataNodes) {
  /** Subsystem whose namespace is the DataNode's first volume as a whole. */
  static final String VOLUME = "volume";

  /** Subsystem whose namespace's first partition is the DataNode's second volume. */
  static final String PARTITIONED = "partitioned";

  /** Where the DataNode's host has mounted its volumes. */
  static final List<Path> VOLUMES =
      List.of(Path.of("/run/volumes/whole"), Path.of("/run/volumes/partition"));

  /** Where the host of a DataNode has mounted its volume, or the first one its first. */
  static Path volume(Host dataNode) {
    return dataNode == Host.DATANODE
        ? VOLUMES.get(0)
        : Path.of("/run/volumes").resolve(dataNode.label());
  }

  /** All volumes of all DataNodes. */
  List<Path> volumes() {
    List<Path> volumes = new ArrayList<>(VOLUMES);
    Host.dataNodes(dataNodes).stream().skip(1).map(Fabric::volume).forEach(volumes::add);
    return volumes;
  }

  /** Subsystem whose namespace is a DataNode's volume, or the first one's first. */
  static String subsystem(Host dataNode) {
    return VOLUME + dataNode.label().substring(Host.DATANODE.label().length());
  }

  /** Has a host's kernel let writes to the namespaces of volumes pass; readers' are read-only. */
  void allowWrites(Host host) throws IOException {
    for (Host dataNode : Host.dataNodes(dataNodes)) {
      Shell.run("blockdev", "--setrw", "/dev/" + device(host, subsystem(dataNode)));
    }
  }

  /** How many writes of a host's to such a namespace its kernel has under way. */
  int writesUnderWay(Host host, Host dataNode) throws IOException {
    Path device = Path.of("/sys/class/block", device(host, subsystem(dataNode)));
    String counts = Files.readString(device.resolve("inflight")).strip();
    return Integer.parseInt(counts.substring(counts.lastIndexOf(' ') + 1));
  }

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

  /** The same of the client's second one, by which it has the second DataNode's namespace alone. */
  void secondPath(boolean up) throws IOException {
    run("storage_link", "path2", up ? "up" : "down");
  }

  /** The same of a host's cable to the switch, where there is one. */
  void computeLink(Host host, boolean up) throws IOException {
    run("compute_link", host.label(), up ? "up" : "down");
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

  /** Writes the DataNodes' volumes back: what was written to their files is on the target. */
  void writeBack() throws IOException {
    for (Path volume : volumes()) {
      Shell.run("sync", "-f", volume.toString());
    }
  }

  /**
   * Writes the DataNodes' volumes back and drops this kernel's page cache: what is read next comes
   * over the fabric. (The target's loop devices lie on memory, which is not dropped.)
   */
  void dropPageCache() throws IOException {
    writeBack();
    Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "1");
  }

  private String run(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("bash", script.toString()));
    command.addAll(List.of(words));
    return Shell.run(command.toArray(String[]::new));
  }
}
