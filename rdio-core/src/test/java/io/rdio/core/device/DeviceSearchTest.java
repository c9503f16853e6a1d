// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static io.rdio.core.FallbackReason.DEVICE_AMBIGUOUS;
import static io.rdio.core.FallbackReason.DEVICE_MISMATCH;
import static io.rdio.core.FallbackReason.DEVICE_NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.FakeSysfs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The choice among disks with wwids, which loop devices do not have: sysfs is made up, and image
 * files stand for the nodes.
 */
final class DeviceSearchTest {
  private static final int BYTES = 1 << 20;
  private static final int START = 64 << 10;
  private static final UUID FS = UUID.fromString("0a1b2c3d-4e5f-4061-8293-a4b5c6d7e8f9");
  private static final UUID OTHER = UUID.fromString("11111111-2222-4333-8444-555555555555");

  @TempDir Path directory;
  private final AtomicLong now = new AtomicLong();
  private FakeSysfs sysfs;
  private Path dev;

  @BeforeEach
  void makeHost() throws IOException {
    sysfs = new FakeSysfs(directory.resolve("sys"));
    dev = Files.createDirectory(directory.resolve("dev"));
  }

  @Test
  void wwidDecidesBetweenTwoCopies() throws Exception {
    disk("nvme0n1", "eui.1", FS);
    disk("nvme1n1", "eui.2", FS);

    assertThat(resolve(onDisk("eui.2")).name()).endsWith("/nvme1n1");
  }

  @Test
  void twoPathsToOneWwidAreAmbiguous() throws Exception {
    disk("nvme0n1", "eui.1", FS);
    disk("nvme1n1", "eui.1", FS);

    assertRefused(onDisk("eui.1"), DEVICE_AMBIGUOUS, "nvme0n1, ");
  }

  @Test
  void diskWithoutAWwidIsToldByItsSuperblock() throws Exception {
    disk("vda", "", OTHER);
    disk("vdb", "", FS);

    assertThat(resolve(onDisk("eui.1")).name()).endsWith("/vdb");
    assertThat(resolve(onDisk("")).name()).endsWith("/vdb");
  }

  @Test
  void rightWwidWithAnotherFileSystemIsAMismatch() throws Exception {
    disk("nvme0n1", "eui.1", OTHER);

    assertRefused(onDisk("eui.1"), DEVICE_MISMATCH, "it holds ext4 " + OTHER);
  }

  @Test
  void rightFileSystemOnAnotherWwidIsANearMiss() throws Exception {
    disk("nvme0n1", "eui.2", FS);

    assertRefused(onDisk("eui.1"), DEVICE_NOT_FOUND, onDisk("eui.1").toString());
    assertThat(directory(Map.of()).lookAlikes(onDisk("eui.1")))
        .singleElement()
        .asString()
        .contains("nvme0n1 has this UUID but 1048576 bytes and wwid");
  }

  @Test
  void anotherFileSystemTypeIsAMismatch() throws Exception {
    disk("nvme0n1", "eui.1", FS);

    DeviceIdentity xfs = new DeviceIdentity("xfs", FS, BYTES, "eui.1", 0, "/dev/sda");

    assertRefused(xfs, DEVICE_MISMATCH, "it holds ext4 " + FS);
  }

  @Test
  void fileSystemLargerThanItsDeviceIsAMismatch() throws Exception {
    sysfs.disk("nvme0n1", BYTES, "eui.1");
    image("nvme0n1", BYTES, 0, Superblocks.ext4(FS, BYTES / 4096 + 1, 2, 0, 0));

    assertRefused(onDisk("eui.1"), DEVICE_MISMATCH, "of 1052672 bytes needs more than its 1048576");
  }

  @Test
  void damagedSuperblockIsAMismatch() throws Exception {
    sysfs.disk("nvme0n1", BYTES, "eui.1");
    ByteBuffer damaged = Superblocks.ext4(FS, BYTES / 4096, 2, 0, Superblocks.METADATA_CSUM);
    image("nvme0n1", BYTES, 0, damaged.put(1500, (byte) 1));

    assertRefused(onDisk("eui.1"), DEVICE_MISMATCH, "no valid ext4 or xfs superblock");
  }

  @Test
  void partitionIsToldByItsStart() throws Exception {
    sysfs.disk("nvme0n1", 4 * BYTES, "eui.1");
    sysfs.partition("nvme0n1", "nvme0n1p1", START, BYTES);
    sysfs.partition("nvme0n1", "nvme0n1p2", START + BYTES, BYTES);
    image("nvme0n1", 4 * BYTES, 0, ByteBuffer.allocate(0));
    image("nvme0n1p1", BYTES, 0, superblock(FS));
    image("nvme0n1p2", BYTES, 0, superblock(FS));

    assertThat(resolve(onPartition("eui.1", START + BYTES)).name()).endsWith("/nvme0n1p2");
  }

  @Test
  void partitionIsReadFromTheWholeDiskOfItsWwid() throws Exception {
    for (String disk : new String[] {"nvme0n1", "nvme1n1"}) {
      sysfs.disk(disk, 4 * BYTES, disk.equals("nvme0n1") ? "eui.1" : "eui.2");
      image(disk, 4 * BYTES, START, superblock(FS));
    }

    BlockDevice device = resolve(onPartition("eui.2", START));

    assertThat(device.name()).endsWith("/nvme1n1+65536");
    assertThat(device.sizeBytes()).isEqualTo(BYTES);
  }

  @Test
  void heldDiskIsLeftAlone() throws Exception {
    Path disk = disk("sda", "naa.1", FS);
    Files.createDirectories(disk.resolve("holders/dm-0"));

    assertRefused(onDisk("naa.1"), DEVICE_NOT_FOUND, "sda has the size but is held by dm-0");
  }

  @Test
  void stackedDeviceIsNoCandidate() throws Exception {
    Path disk = disk("dm-0", "", FS);
    Files.createDirectory(disk.resolve("dm"));

    assertRefused(
        onDisk(""),
        DEVICE_NOT_FOUND,
        "dm-0 has the size but is not a plain disk or partition (dm)");
  }

  @Test
  void hiddenPathIsNoCandidate() throws Exception {
    Path path = disk("nvme0c0n1", "eui.1", FS);
    Files.writeString(path.resolve("hidden"), "1\n");
    disk("nvme0n1", "eui.1", FS);

    assertThat(resolve(onDisk("eui.1")).name()).endsWith("/nvme0n1");
  }

  @Test
  void namedNodeMayBeAWholeDiskOrAnImage() throws Exception {
    Path image = image("disk.img", 4 * BYTES, START, superblock(FS));

    BlockDevice device = directory(Map.of(FS, image)).resolve(onPartition("eui.1", START));

    assertThat(device.name()).isEqualTo(image + "+65536");
  }

  @Test
  void whereMediaHaveNoNumberTheSuperblockIsReadAgain() throws Exception {
    disk("nvme0n1", "eui.1", FS);
    DeviceDirectory host = directory(Map.of());
    BlockDevice first = host.resolve(onDisk("eui.1"));
    image("nvme0n1", BYTES, 0, superblock(OTHER));

    now.addAndGet(LocalDeviceDirectory.REVERIFY_AFTER.toNanos() - 1);
    assertThat(host.resolve(onDisk("eui.1"))).isSameAs(first);
    now.addAndGet(1);

    assertThat(refusal(host, onDisk("eui.1")).reason()).isEqualTo(DEVICE_MISMATCH);
  }

  private record Witnessed(DeviceIdentity device, long witnessOffset, long witnessNonce)
      implements WitnessedDevice {}

  @Test
  void failedSearchForAMapIsNotRepeatedForAWhile() throws Exception {
    DeviceDirectory host = directory(Map.of());
    Witnessed wanted = new Witnessed(onDisk("eui.1"), START, 7);
    assertThat(refusal(host, wanted).reason()).isEqualTo(DEVICE_NOT_FOUND);
    disk("nvme0n1", "eui.1", FS);
    image("nvme0n1", BYTES, START, wanted.witness(1).encode());

    now.addAndGet(LocalDeviceDirectory.RETRY_AFTER.toNanos() - 1);
    assertThat(refusal(host, wanted).reason()).isEqualTo(DEVICE_NOT_FOUND);
    now.addAndGet(1);

    assertThat(host.resolve(wanted, 1).name()).endsWith("/nvme0n1");
  }

  @Test
  void deviceThatDoesNotShowTheWitnessIsSearchedAnew() throws Exception {
    disk("nvme0n1", "eui.1", FS);
    DeviceDirectory host = directory(Map.of());
    Witnessed wanted = new Witnessed(onDisk("eui.1"), START, 7);
    assertThat(refusal(host, wanted).reason()).isEqualTo(DEVICE_MISMATCH);
    image("nvme0n1", BYTES, START, wanted.witness(1).encode());
    assertThat(host.resolve(wanted, 1).name()).endsWith("/nvme0n1");
  }

  private static FallbackException refusal(DeviceDirectory directory, WitnessedDevice wanted) {
    return catchThrowableOfType(FallbackException.class, () -> directory.resolve(wanted, 1));
  }

  private Path disk(String name, String wwid, UUID uuid) throws IOException {
    image(name, BYTES, 0, superblock(uuid));
    return sysfs.disk(name, BYTES, wwid);
  }

  private Path image(String name, long bytes, long at, ByteBuffer content) throws IOException {
    Path image = dev.resolve(name);
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(bytes);
      file.getChannel().write(content, at);
    }
    return image;
  }

  private static ByteBuffer superblock(UUID uuid) {
    return Superblocks.ext4(uuid, BYTES / 4096, 2, 0, Superblocks.METADATA_CSUM);
  }

  private static DeviceIdentity onDisk(String wwid) {
    return new DeviceIdentity("ext4", FS, BYTES, wwid, 0, "/dev/sda");
  }

  private static DeviceIdentity onPartition(String wwid, long start) {
    return new DeviceIdentity("ext4", FS, BYTES, wwid, start, "/dev/sda1");
  }

  private LocalDeviceDirectory directory(Map<UUID, Path> named) {
    return new LocalDeviceDirectory(named, new LocalDevices(sysfs.root(), dev), now::get);
  }

  private BlockDevice resolve(DeviceIdentity identity) throws FallbackException {
    return directory(Map.of()).resolve(identity);
  }

  private void assertRefused(DeviceIdentity identity, FallbackReason reason, String words) {
    FallbackException refusal = refusal(directory(Map.of()), identity);
    assertThat(refusal.detail()).contains(words);
    assertThat(refusal.reason()).isEqualTo(reason);
  }

  private static FallbackException refusal(DeviceDirectory directory, DeviceIdentity identity) {
    return catchThrowableOfType(FallbackException.class, () -> directory.resolve(identity));
  }
}
