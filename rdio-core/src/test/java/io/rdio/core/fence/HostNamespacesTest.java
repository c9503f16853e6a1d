// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a host sees of a namespace in its kernel's files. */
final class HostNamespacesTest {
  @TempDir Path root;

  private Path sysfs;
  private Path devfs;
  private Path procfs;
  private Namespaces.Namespace namespace;
  private Path disk;

  @BeforeEach
  void makeDisk() throws IOException {
    sysfs = root.resolve("sys");
    devfs = Files.createDirectory(root.resolve("dev"));
    procfs = root.resolve("proc");
    namespace = new Namespaces.Namespace("eui.1", devfs.resolve("nvme0n1"));
    disk = make("nvme0n1", "259:1");
    put(disk.resolve("wwid"), "eui.1");
    mounts("254:0");
  }

  private static void put(Path file, String text) throws IOException {
    Files.createDirectories(file.resolveSibling(""));
    Files.writeString(file, text + "\n");
  }

  /** A device, with a node. */
  private Path make(String name, String dev) throws IOException {
    Path device = sysfs.resolve("class/block").resolve(name);
    put(device.resolve("dev"), dev);
    put(device.resolve("queue/iostats"), "1");
    Files.createFile(devfs.resolve(name));
    return device;
  }

  private void mounts(String... devs) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (String dev : devs) {
      lines.append("27 1 ").append(dev).append(" / /data rw - xfs any rw\n");
    }
    put(procfs.resolve("self/mountinfo"), lines.toString());
  }

  private HostNamespaces here() {
    return new HostNamespaces(sysfs, devfs, procfs);
  }

  private static String stat(int written, int discarded) {
    return "1 2 3 4 5 6 " + written + " 8 9 10 11 12 13 " + discarded + " 15 16 17";
  }

  /** By the numbers that tell: all others are what they are. */
  private String written(int reads, int writes, int sectorsWritten, int sectorsDiscarded)
      throws IOException {
    Files.writeString(
        disk.resolve("stat"),
        String.format(
            Locale.ROOT,
            "%d 2 3 4 %d 6 %d 8 9 10 11 12 13 %d 15 16 17%n",
            reads,
            writes,
            sectorsWritten,
            sectorsDiscarded));
    return here().written(namespace);
  }

  @Test
  void writesAndDiscardsAndNoReads() throws Exception {
    String before = written(1, 1, 1, 1);
    assertThat(written(2, 1, 1, 1)).as("read").isEqualTo(before);
    assertThat(written(1, 2, 1, 1)).as("a flush, which is a write of nothing").isEqualTo(before);
    assertThat(written(1, 2, 2, 1)).as("written").isNotEqualTo(before);
    assertThat(written(1, 1, 1, 2)).as("discarded").isNotEqualTo(before);
  }

  @Test
  void notCounted() throws Exception {
    written(1, 1, 1, 1);
    Files.writeString(disk.resolve("queue/iostats"), "0\n");
    assertThatThrownBy(() -> here().written(namespace)).hasMessageContaining("iostats");
    Files.writeString(disk.resolve("queue/iostats"), "1\n");
    Files.writeString(disk.resolve("stat"), "1 2 3 4 5 6 7 8 9 10 11\n"); // before Linux 4.18
    assertThatThrownBy(() -> here().written(namespace)).hasMessageContaining("11 numbers");
  }

  /** Before Linux 6.4 native multipath's disk counts nothing, and its switch can be put on. */
  @Test
  void pathsCountForTheirDisk() throws Exception {
    String alone = written(1, 1, 0, 0);
    Path first = makePath("nvme0c0n1", "eui.1");
    Path second = makePath("nvme0c1n1", "eui.1");
    Path another = makePath("nvme1c0n1", "eui.2");
    String before = here().written(namespace);
    assertThat(before).as("a path more").isNotEqualTo(alone);

    put(another.resolve("stat"), stat(2, 2));
    put(disk.resolve("queue/iostats"), "0");
    assertThat(here().written(namespace)).isEqualTo(before);

    put(first.resolve("stat"), stat(1, 0));
    assertThat(here().written(namespace)).isNotEqualTo(before);
    put(first.resolve("stat"), stat(0, 0));
    put(second.resolve("stat"), stat(0, 1));
    assertThat(here().written(namespace)).isNotEqualTo(before);

    put(second.resolve("queue/iostats"), "0");
    assertThatThrownBy(() -> here().written(namespace))
        .hasMessageContaining(second + "/queue/iostats");
  }

  private Path makePath(String name, String wwid) throws IOException {
    Path path = sysfs.resolve("class/block").resolve(name);
    put(path.resolve("wwid"), wwid);
    put(path.resolve("hidden"), "1");
    put(path.resolve("queue/iostats"), "1");
    put(path.resolve("stat"), stat(0, 0));
    return path;
  }

  @Test
  void countThatBeganAnewIsNoOldOne() throws Exception {
    put(disk.resolve("stat"), stat(0, 0));
    put(disk.resolve("diskseq"), "7");
    String before = here().written(namespace);
    put(disk.resolve("diskseq"), "8");
    assertThat(here().written(namespace)).isNotEqualTo(before);
  }

  @Test
  void pathThatDoesNotWorkIsBehindTheOthers() throws Exception {
    put(make("nvme1n1", "259:3").resolve("wwid"), "eui.1");
    put(disk.resolve("device/state"), "live");
    put(sysfs.resolve("class/block/nvme1n1/device/state"), "live");
    assertThat(here().all())
        .extracting(each -> devfs.relativize(each.node()).toString())
        .containsExactly("nvme0n1", "nvme1n1");

    put(disk.resolve("device/state"), "connecting");
    assertThat(here().all())
        .extracting(each -> devfs.relativize(each.node()).toString())
        .containsExactly("nvme1n1", "nvme0n1");
  }

  private Path makePartition() throws IOException {
    Path partition = disk.resolve("nvme0n1p1");
    put(partition.resolve("partition"), "1");
    put(partition.resolve("dev"), "259:2");
    Files.createSymbolicLink(sysfs.resolve("class/block/nvme0n1p1"), partition);
    return partition;
  }

  private Path makeMapped(String name, String dev, String uuid, Path below) throws IOException {
    Path mapped = make(name, dev);
    put(mapped.resolve("dm/uuid"), uuid);
    Files.createDirectories(below.resolve("holders").resolve(name));
    return mapped;
  }

  private void assertMountedOnlyBy(String dev) throws IOException {
    assertThat(here().isMounted(namespace)).isFalse();
    mounts("254:0", dev, "0:40");
    assertThat(here().isMounted(namespace)).as(dev).isTrue();
    mounts("254:0", "259:9");
  }

  /** Without a look at the mount points, over which other file systems may lie. */
  @Test
  void mountedByItsNumbers() throws Exception {
    makePartition();
    make("loop0", "7:0");
    mounts("254:0", "7:0");
    assertMountedOnlyBy("259:1");
    assertMountedOnlyBy("259:2");
  }

  @Test
  void mountedInAnotherNamespace() throws Exception {
    makePartition();
    Path xfs = sysfs.resolve("fs/xfs");
    put(xfs.resolve("stats/stats"), "");
    Files.createDirectories(xfs.resolve("loop0"));
    assertThat(here().isMounted(namespace)).isFalse();

    Path one = Files.createDirectories(xfs.resolve("nvme0n1p1"));
    assertThat(here().isMounted(namespace)).isTrue();
    Files.delete(one);
    assertThat(here().isMounted(namespace)).isFalse();
    Files.createDirectories(sysfs.resolve("fs/btrfs/a-uuid/devices/nvme0n1"));
    assertThat(here().isMounted(namespace)).isTrue();
  }

  @Test
  void volumeOfLvmHoldsIt() throws Exception {
    makeMapped("dm-0", "253:0", "LVM-1", makePartition());
    assertThat(here().holders(namespace)).containsExactly("dm-0 LVM-1");
  }

  /** Multipath is the disk: what lies on that lies on the disk, and is mounted from it. */
  @Test
  void multipathIsNoHolder() throws Exception {
    Path map = makeMapped("dm-0", "253:0", "mpath-eui.1", disk);
    Path partition = makeMapped("dm-1", "253:1", "part1-mpath-eui.1", map);
    assertThat(here().holders(namespace)).isEmpty();
    assertMountedOnlyBy("253:0");
    assertMountedOnlyBy("253:1");

    makeMapped("dm-2", "253:2", "LVM-1", partition);
    assertThat(here().holders(namespace)).containsExactly("dm-2 LVM-1");
  }

  /** A copy is read by such a view, which is not to refuse the next look. */
  @Test
  void loopDeviceHoldsItIfItCanBeWrittenTo() throws Exception {
    Path loop = make("loop0", "7:0");
    put(loop.resolve("loop/backing_file"), devfs.resolve("nvme0n1").toString());
    put(loop.resolve("ro"), "1");
    assertThat(here().holders(namespace)).isEmpty();
    put(loop.resolve("ro"), "0");
    assertThat(here().holders(namespace)).containsExactly("loop0");
    put(loop.resolve("loop/backing_file"), devfs.resolve("nvme1n1").toString());
    assertThat(here().holders(namespace)).isEmpty();
  }
}
