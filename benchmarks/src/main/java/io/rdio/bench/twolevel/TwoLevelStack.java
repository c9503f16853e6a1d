// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

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

/**
 * Both nodes on one machine. The storage node's disk is a loop device, past the page cache, on the
 * machine's own disk; so what others do there does not count. On it is ext4 with the image of a
 * second loop device, the namespace that the compute node sees; the image's page cache is level 2.
 * On the namespace is a file system with a file of random bytes, the data set, whose page cache is
 * level 1.
 *
 * <p><b>Read-ahead.</b> The namespace reads ahead by 128 KB, as Linux does unless told otherwise,
 * for a reader that scans, and not at all for one that reads at random. The storage node's disk
 * never does: what the compute node has its reasons to read ahead arrives as requests anyway, and
 * where much of a file is in memory the kernel takes a random read behind a cached page for a
 * sequential one, so that more is read from the disk than was asked for.
 */
final class TwoLevelStack implements AutoCloseable {
  private static final long XFS_LEAST_BYTES = 300L << 20;
  private static final int READ_AHEAD_KB = 128;

  /** One page. Not 0: then the kernel would read a large request page by page. */
  private static final int NO_READ_AHEAD_KB = 4;

  private final Teardown teardown;
  private final Path folder;
  private final LoopVolume disk;
  private final LoopVolume namespace;
  private final Path data;

  private TwoLevelStack(
      Teardown teardown, Path folder, LoopVolume disk, LoopVolume namespace, Path data) {
    this.teardown = teardown;
    this.folder = folder;
    this.disk = disk;
    this.namespace = namespace;
    this.data = data;
  }

  /**
   * Makes one in a temporary folder.
   *
   * @param fileSystem of the compute node: ext4 or xfs
   * @param bytes of the data set
   */
  static TwoLevelStack create(String fileSystem, long bytes) throws IOException {
    TwoLevelStack stack = withoutData(fileSystem, bytes);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(stack.data), 1 << 20)) {
      RandomContent.write(out, 1, bytes, written -> {});
    } catch (IOException e) {
      stack.close();
      throw e;
    }
    Shell.run("sync", "-f", stack.data.toString());
    return stack;
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
      setReadAhead(disk, NO_READ_AHEAD_KB);
      LoopVolume namespace =
          volume(disk.mountPoint(), "namespace", fileSystem, namespaceBytes, teardown);
      Path data = namespace.mountPoint().resolve("data");
      return new TwoLevelStack(teardown, folder, disk, namespace, data);
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

  private static void setReadAhead(LoopVolume volume, int kilobytes) throws IOException {
    Files.writeString(sysfs(volume).resolve("queue/read_ahead_kb"), Integer.toString(kilobytes));
  }

  private static Path sysfs(LoopVolume volume) {
    return Path.of("/sys/class/block", Path.of(volume.device()).toFile().getName());
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
    return Files.readString(sysfs(disk).resolve("dev")).strip();
  }

  /** The compute node's device, as "major:minor". */
  String namespaceNumber() throws IOException {
    return Files.readString(sysfs(namespace).resolve("dev")).strip();
  }

  /** The compute node's device node. */
  Path namespaceNode() {
    return Path.of(namespace.device());
  }

  /** The file behind the namespace. */
  Path image() throws IOException {
    return Path.of(Files.readString(sysfs(namespace).resolve("loop/backing_file")).strip());
  }

  /** How much of that file is in the page cache. */
  long imageBytesInMemory() throws IOException {
    return Long.parseLong(Shell.run("fincore", "-nbo", "RES", image().toString()).strip());
  }

  /** Where the compute node has the file system. */
  Path mountPoint() {
    return namespace.mountPoint();
  }

  /** The file that is read. */
  Path data() {
    return data;
  }

  /** Whether the storage node's page cache is between the namespace and the disk. */
  void cacheImage(boolean cached) throws IOException {
    Shell.run("losetup", "--direct-io=" + (cached ? "off" : "on"), namespace.device());
  }

  /** Has the compute node's kernel read ahead, or not, of files that are opened from now on. */
  void readAhead(boolean on) throws IOException {
    setReadAhead(namespace, on ? READ_AHEAD_KB : NO_READ_AHEAD_KB);
  }

  /** Empties both levels. */
  void dropCaches() throws IOException {
    namespace.dropPageCache();
    disk.dropPageCache();
  }

  /** Unmounts, detaches and removes everything. */
  @Override
  public void close() {
    teardown.close();
  }
}
