// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.hdfs.cluster.LoopView;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import io.rdio.hdfs.cluster.Shell;
import io.rdio.hdfs.cluster.Teardown;
import io.rdio.hdfs.demo.RandomContent;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Both nodes on one machine. The storage node's disk is a loop device, past the page cache, on the
 * machine's own disk; so what others do there does not count. On it is ext4 with the image of a
 * second loop device, the namespace that the compute node sees; the image's page cache is level 2.
 * On the namespace is a file system with a file of random bytes, the data set, whose page cache is
 * level 1.
 *
 * <p><b>Several compute nodes</b> have a view of the namespace each, as hosts that are connected to
 * the same one: a loop device over it, past the page cache in between, and the file system on that,
 * read-only. So each has a page cache of its own, and all ask the one namespace for what that
 * misses; PrefCache sees one device, as below a real target.
 *
 * <p><b>Read-ahead.</b> The namespace reads ahead by 128 KB, as Linux does unless told otherwise,
 * for a reader that scans, and not at all for one that reads at random. The storage node's disk
 * never does: what the compute node has its reasons to read ahead arrives as requests anyway, and
 * where much of a file is in memory the kernel takes a random read behind a cached page for a
 * sequential one, so that more is read from the disk than was asked for.
 */
final class TwoLevelStack implements AutoCloseable {
  private static final String DATA = "data";
  private static final long XFS_LEAST_BYTES = 300L << 20;
  private static final int READ_AHEAD_KB = 128;

  /** One page. Not 0: then the kernel would read a large request page by page. */
  private static final int NO_READ_AHEAD_KB = 4;

  private final Teardown teardown;
  private final Path folder;
  private final LoopVolume disk;
  private final LoopVolume namespace;
  private final List<LoopView> loopViews;

  /**
   * What a compute node has of the namespace.
   *
   * @param device its device node, such as /dev/loop0
   * @param mountPoint where it has the file system
   */
  record View(String device, Path mountPoint) {
    /** The device node. */
    Path node() {
      return Path.of(device);
    }

    /** The device, as "major:minor". */
    String number() throws IOException {
      return TwoLevelStack.number(device);
    }

    /** The file that is read. */
    Path data() {
      return mountPoint.resolve(DATA);
    }
  }

  private TwoLevelStack(
      Teardown teardown,
      Path folder,
      LoopVolume disk,
      LoopVolume namespace,
      List<LoopView> loopViews) {
    this.teardown = teardown;
    this.folder = folder;
    this.disk = disk;
    this.namespace = namespace;
    this.loopViews = List.copyOf(loopViews);
  }

  /**
   * Makes one in a temporary folder.
   *
   * @param fileSystem of the compute node: ext4 or xfs
   * @param bytes of the data set
   */
  static TwoLevelStack create(String fileSystem, long bytes) throws IOException {
    return create(fileSystem, bytes, 1);
  }

  /**
   * The same for several compute nodes.
   *
   * @param nodes compute nodes, at least 1
   */
  static TwoLevelStack create(String fileSystem, long bytes, int nodes) throws IOException {
    TwoLevelStack stack = withoutData(fileSystem, bytes);
    try {
      write(stack.views().get(0).data(), bytes);
      return nodes == 1 ? stack : stack.sharedBy(nodes);
    } catch (IOException e) {
      stack.close();
      throw e;
    }
  }

  private static void write(Path data, long bytes) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(data), 1 << 20)) {
      RandomContent.write(out, 1, bytes, written -> {});
    }
    Shell.run("sync", "-f", data.toString());
  }

  /** What this is for several compute nodes; goes when this does. */
  private TwoLevelStack sharedBy(int nodes) throws IOException {
    namespace.unmount();
    List<LoopView> shared = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      shared.add(LoopView.create(folder.resolve("node-" + node), namespace, teardown));
    }
    return new TwoLevelStack(teardown, folder, disk, namespace, shared);
  }

  /** Makes one with room for a data set of so many bytes, which is not there yet. */
  static TwoLevelStack withoutData(String fileSystem, long bytes) throws IOException {
    Path folder = Files.createTempDirectory("rdio-two-level-");
    Teardown teardown = Teardown.of(folder);
    try {
      long namespaceBytes = Math.max(XFS_LEAST_BYTES, bytes) + bytes / 8 + (64L << 20);
      LoopVolume disk =
          volume(folder, "disk", "ext4", namespaceBytes + namespaceBytes / 8, teardown);
      // An open file keeps what its disk had then: so before the namespace's device opens its
      // image.
      setReadAhead(disk.device(), NO_READ_AHEAD_KB);
      LoopVolume namespace =
          volume(disk.mountPoint(), "namespace", fileSystem, namespaceBytes, teardown);
      return new TwoLevelStack(teardown, folder, disk, namespace, List.of());
    } catch (IOException e) {
      teardown.close();
      throw e;
    }
  }

  private static LoopVolume volume(
      Path parent, String name, String fileSystem, long bytes, Teardown teardown)
      throws IOException {
    Path folder = Files.createDirectory(parent.resolve(name));
    return LoopVolume.create(folder, fileSystem, bytes, Backing.DISK, teardown);
  }

  private static void setReadAhead(String device, int kilobytes) throws IOException {
    Files.writeString(sysfs(device).resolve("queue/read_ahead_kb"), Integer.toString(kilobytes));
  }

  private static Path sysfs(String device) {
    return Path.of("/sys/class/block", Path.of(device).toFile().getName());
  }

  private static String number(String device) throws IOException {
    return Files.readString(sysfs(device).resolve("dev")).strip();
  }

  /** What each compute node has of the namespace. */
  List<View> views() {
    return loopViews.isEmpty()
        ? List.of(new View(namespace.device(), namespace.mountPoint()))
        : loopViews.stream().map(view -> new View(view.device(), view.mountPoint())).toList();
  }

  /** Goes when this is closed. */
  Teardown teardown() {
    return teardown;
  }

  /** For temporary files; named on the command line of processes that are to go with this. */
  Path folder() {
    return folder;
  }

  /** The storage node's disk, as "major:minor". */
  String diskNumber() throws IOException {
    return number(disk.device());
  }

  /** The namespace, as the storage node has it, as "major:minor". */
  String namespaceNumber() throws IOException {
    return number(namespace.device());
  }

  /** The namespace's device node on the storage node. */
  Path namespaceNode() {
    return Path.of(namespace.device());
  }

  /** The file behind the namespace. */
  Path image() throws IOException {
    Path name = sysfs(namespace.device()).resolve("loop/backing_file");
    return Path.of(Files.readString(name).strip());
  }

  /** How much of that file is in the page cache. */
  long imageBytesInMemory() throws IOException {
    return Long.parseLong(Shell.run("fincore", "-nbo", "RES", image().toString()).strip());
  }

  /** Where the compute node, of which there is one only, has the file system. */
  Path mountPoint() {
    return namespace.mountPoint();
  }

  /** Whether the storage node's page cache is between the namespace and the disk. */
  void cacheImage(boolean cached) throws IOException {
    Shell.run("losetup", "--direct-io=" + (cached ? "off" : "on"), namespace.device());
  }

  /** Has the compute nodes' kernel read ahead, or not, of files that are opened from now on. */
  void readAhead(boolean on) throws IOException {
    for (View view : views()) {
      setReadAhead(view.device(), on ? READ_AHEAD_KB : NO_READ_AHEAD_KB);
    }
  }

  /** Empties both levels. */
  void dropCaches() throws IOException {
    for (LoopView view : loopViews) {
      view.dropPageCache();
    }
    namespace.dropPageCache();
    disk.dropPageCache();
  }

  /** Unmounts, detaches and removes everything. */
  @Override
  public void close() {
    teardown.close();
  }
}
