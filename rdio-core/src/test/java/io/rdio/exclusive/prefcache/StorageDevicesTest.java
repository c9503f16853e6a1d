// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sysfs and a configfs made of files; the node is one that every Linux has. */
class StorageDevicesTest {
  private static final Path NODE = Path.of("/dev/null");
  private static final String UUID = "f3fedec5-1111-4222-8333-444455556666";
  private static final String NIL = "00000000-0000-0000-0000-000000000000";

  @TempDir private Path temp;
  private Path sysfs;
  private Path loop;
  private Path file;

  @BeforeEach
  void loopDevice() throws IOException {
    Requirements.require(Files.exists(NODE), "there is no /dev/null");
    file = temp.resolve("file");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(1 << 20);
    }
    sysfs = temp.resolve("sys");
    Path disk = Files.createDirectories(sysfs.resolve("devices/loop7"));
    loop = Files.createDirectories(disk.resolve("loop"));
    write(disk.resolve("size"), "2048");
    write(loop.resolve("dio"), "0");
    write(loop.resolve("offset"), "0");
    write(loop.resolve("backing_file"), file.toString());
    // /dev/null is 1:3.
    link(sysfs.resolve("dev/block/1:3"), disk);
    link(sysfs.resolve("class/block/loop7"), disk);
    // The disk of this test's files.
    long dev = (Long) Files.getAttribute(file, "unix:dev");
    int major = io.rdio.core.device.SysfsBlockDevice.major(dev);
    int minor = io.rdio.core.device.SysfsBlockDevice.minor(dev);
    Path under = Files.createDirectories(sysfs.resolve("devices/sda/bdi")).resolveSibling("");
    link(sysfs.resolve("dev/block/" + major + ":" + minor), under);
    link(sysfs.resolve("class/block/sda"), under);
    write(sysfs.resolve("devices/sda/bdi/read_ahead_kb"), "512");
  }

  @Test
  void anExportedNamespaceIsKnownByItsUuid() throws IOException {
    export(UUID, NIL);
    StorageDevice device = find();
    assertThat(device.namespaceUuid()).isEqualTo(UUID);
    assertThat(device.wwid()).isEqualTo("uuid." + UUID);
    assertThat(device.backingFile()).isEqualTo(file);
    assertThat(device.sizeBytes()).isEqualTo(1 << 20);
    assertThat(device.kernelNumber()).isEqualTo(1 << 20 | 3);
    assertThat(device.readAheadBytes()).isIn(512L << 10, 128L << 10);
  }

  @Test
  void orByItsNguid() throws IOException {
    export(NIL, UUID);
    assertThat(find().wwid()).isEqualTo("eui.f3fedec5111142228333444455556666");
  }

  @Test
  void whatComputeNodesCouldNotRecogniseIsRefused() {
    assertRefused("could not tell /dev/null from others");
  }

  @Test
  void whatDoesNotGoThroughThePageCacheIsRefused() throws IOException {
    write(loop.resolve("dio"), "1");
    assertRefused("losetup --direct-io=off /dev/null");
  }

  @Test
  void whatBeginsWithinAPageIsRefused() throws IOException {
    write(loop.resolve("offset"), "512");
    try (RandomAccessFile longer = new RandomAccessFile(file.toFile(), "rw")) {
      longer.setLength(2 << 20);
    }
    assertRefused("begins at 512");
  }

  @Test
  void aFileThatIsNotHereOrTooShortIsRefused() throws IOException {
    write(loop.resolve("offset"), "4096");
    assertRefused("has 1048576 bytes, too few");
    write(loop.resolve("backing_file"), "/gone (deleted)");
    assertRefused("name it, --device /dev/null:FILE");
  }

  @Test
  void otherDevicesAreRefused() throws IOException {
    for (String attribute : new String[] {"dio", "offset", "backing_file"}) {
      Files.delete(loop.resolve(attribute));
    }
    Files.delete(loop);
    assertRefused("is no loop device with a file");
  }

  private StorageDevice find() throws IOException {
    return new StorageDevices(sysfs).find(0, NODE, null);
  }

  private void assertRefused(String why) {
    assertThatThrownBy(this::find).isInstanceOf(IOException.class).hasMessageContaining(why);
  }

  private void export(String uuid, String nguid) throws IOException {
    Path namespaces = sysfs.resolve("kernel/config/nvmet/subsystems/rdio/namespaces");
    for (int nsid = 1; nsid <= 2; nsid++) {
      Path namespace = Files.createDirectories(namespaces.resolve("" + nsid));
      write(namespace.resolve("device_path"), nsid == 1 ? "/dev/zero" : NODE.toString());
      write(namespace.resolve("device_uuid"), uuid);
      write(namespace.resolve("device_nguid"), nguid);
    }
  }

  private static void write(Path file, String text) throws IOException {
    Files.writeString(file, text + "\n");
  }

  private static void link(Path link, Path to) throws IOException {
    Files.createDirectories(link.getParent());
    if (!Files.exists(link)) {
      Files.createSymbolicLink(link, to);
    }
  }
}
