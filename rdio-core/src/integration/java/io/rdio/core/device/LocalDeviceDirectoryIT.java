// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static io.rdio.core.FallbackReason.DEVICE_AMBIGUOUS;
import static io.rdio.core.FallbackReason.DEVICE_IO_ERROR;
import static io.rdio.core.FallbackReason.DEVICE_MISMATCH;
import static io.rdio.core.FallbackReason.DEVICE_NOT_FOUND;
import static io.rdio.core.FallbackReason.DEVICE_PERMISSION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.DurableFiles;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.ExtentBytes;
import io.rdio.core.testing.FakeSysfs;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.Unprivileged;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Finding a DataNode's device among real ones. */
@Tag("loop")
final class LocalDeviceDirectoryIT {
  private static final int LOOP_MAJOR = 7;
  private static final long BYTES = LoopFileSystem.EXT4_BYTES;

  @TempDir Path sysfs;
  private final AtomicLong now = new AtomicLong();

  @Test
  void copyOfTheDeviceMakesItAmbiguous() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4");
        LoopDevice copy = copyOf(fs)) {
      DeviceIdentity identity = VolumeDevice.identify(fs.mountPoint());

      FallbackException refusal = refusal(directory(fs.device(), copy.node()), identity);

      assertThat(refusal.reason()).isEqualTo(DEVICE_AMBIGUOUS);
      assertThat(refusal.detail()).contains(fs.device().toString(), copy.node().toString());
    }
  }

  @Test
  void namedNodeEndsTheAmbiguity() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4");
        LoopDevice copy = copyOf(fs)) {
      DeviceIdentity identity = VolumeDevice.identify(fs.mountPoint());
      DeviceDirectory directory =
          new LocalDeviceDirectory(
              Map.of(identity.fsUuid(), copy.node()),
              VisibleDevices.only(sysfs, fs.device(), copy.node()),
              now::get);

      assertThat(directory.resolve(identity).name()).isEqualTo(copy.node().toString());
    }
  }

  @Test
  void olderCopyDoesNotShowTheWitness() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4")) {
      DeviceIdentity identity = VolumeDevice.identify(fs.mountPoint());
      Path file = Files.write(fs.mountPoint().resolve("witness"), new byte[4096]);
      long offset = Fiemap.extents(file, 4096).physical(0);
      write(file, new Witness(offset, 7, 1));
      try (LoopDevice copy = copyOf(fs)) {
        write(file, new Witness(offset, 7, 2));
        DeviceDirectory onCopy = directory(copy.node());
        assertThat(onCopy.resolve(new Witnessed(identity, offset, 7), 1)).isNotNull();
        for (Witness later : List.of(new Witness(offset, 7, 2), new Witness(offset, 8, 1))) {
          Witnessed wanted = new Witnessed(identity, offset, later.nonce());
          FallbackException refusal =
              catchThrowableOfType(
                  FallbackException.class, () -> onCopy.resolve(wanted, later.count()));
          assertThat(refusal.reason()).isEqualTo(DEVICE_MISMATCH);
          assertThat(refusal.detail()).contains(copy.node() + " has the right file system, but");
        }
        LocalDevices liveOnly = VisibleDevices.only(sysfs.resolve("live"), fs.device());
        DeviceDirectory live = new LocalDeviceDirectory(Map.of(), liveOnly, now::get);
        assertThat(live.resolve(new Witnessed(identity, offset, 7), 2))
            .isSameAs(live.resolve(new Witnessed(identity, offset, 7), 1));
      }
    }
  }

  private record Witnessed(DeviceIdentity device, long witnessOffset, long witnessNonce)
      implements WitnessedDevice {}

  private static void write(Path file, Witness witness) throws IOException {
    byte[] bytes = new byte[4096];
    witness.encode().get(bytes, 0, Witness.BYTES);
    Files.write(file, bytes, StandardOpenOption.WRITE, StandardOpenOption.DSYNC);
  }

  @Test
  void namedNodeIsVerified() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4");
        LoopFileSystem other = LoopFileSystem.create("ext4");
        LoopDevice larger = LoopDevice.create(2 * BYTES)) {
      DeviceIdentity identity = VolumeDevice.identify(fs.mountPoint());

      assertThat(refusal(named(identity, other.device()), identity).detail())
          .contains(other.device() + " is not " + identity + ": it holds ext4 " + other.uuid());
      assertThat(refusal(named(identity, larger.node()), identity).detail())
          .contains(larger.node() + " has 134217728 bytes");
      assertReason(named(identity, other.device()), identity, DEVICE_MISMATCH);
      assertReason(named(identity, larger.node()), identity, DEVICE_MISMATCH);
      assertReason(named(identity, Path.of("/dev/nonexistent")), identity, DEVICE_NOT_FOUND);
    }
  }

  @Test
  void namedNodeOfAnotherWwidIsAMismatch() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4")) {
      UUID uuid = fs.uuid();
      int minor = Integer.parseInt(fs.device().toString().substring("/dev/loop".length()));
      FakeSysfs fake = new FakeSysfs(sysfs);
      fake.disk("nvme0n1", BYTES, "eui.2");
      fake.number("nvme0n1", LOOP_MAJOR, minor);
      DeviceDirectory directory =
          new LocalDeviceDirectory(Map.of(uuid, fs.device()), devices(), now::get);

      DeviceIdentity other = new DeviceIdentity("ext4", uuid, BYTES, "eui.1", 0, "/dev/sda");
      DeviceIdentity same = new DeviceIdentity("ext4", uuid, BYTES, "eui.2", 0, "/dev/sda");

      assertThat(directory.resolve(same).name()).isEqualTo(fs.device().toString());
      assertThat(refusal(directory, other).detail()).contains("has wwid eui.2 and is not ");
      assertReason(directory, other, DEVICE_MISMATCH);
    }
  }

  @Test
  void deviceOfAnotherSizeIsANearMiss() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4")) {
      DeviceIdentity real = VolumeDevice.identify(fs.mountPoint());
      DeviceIdentity larger =
          new DeviceIdentity("ext4", real.fsUuid(), 2 * BYTES, "", 0, "/dev/nvme0n1");

      DeviceDirectory directory = directory(fs.device());

      assertThat(refusal(directory, larger).reason()).isEqualTo(DEVICE_NOT_FOUND);
      assertThat(directory.lookAlikes(larger))
          .singleElement()
          .asString()
          .contains(fs.device().getFileName() + " has this UUID but 67108864 bytes");
    }
  }

  @Test
  void unreadableDeviceIsAMatterOfPermission() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4")) {
      DeviceIdentity identity = VolumeDevice.identify(fs.mountPoint());
      Files.setPosixFilePermissions(sysfs, PosixFilePermissions.fromString("rwxr-xr-x"));
      // Once with permission: classes cannot be loaded from a directory that nobody may not enter.
      assertThat(directory(fs.device()).resolve(identity).name()).isNotEmpty();
      DeviceDirectory directory = new LocalDeviceDirectory(Map.of(), devices(), now::get);

      FallbackException refusal = Unprivileged.call(() -> refusal(directory, identity));

      assertThat(refusal.reason()).isEqualTo(DEVICE_PERMISSION);
      assertThat(refusal.detail()).contains("open of " + fs.device() + ": EACCES");
    }
  }

  @Test
  void partitionIsFoundByItsNode() throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.requireTool("addpart");
    try (LoopDevice disk = LoopDevice.create(4 * BYTES, "--partscan");
        LoopFileSystem fs = LoopFileSystem.on(disk.addPartition(3 << 20, BYTES), "ext4")) {
      assertReadsAFile(fs, directory(disk.node(), fs.device()), fs.device().toString());
    }
  }

  @Test
  void partitionIsFoundOnTheWholeDisk() throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.requireTool("addpart");
    try (LoopDevice disk = LoopDevice.create(4 * BYTES, "--partscan");
        LoopDevice wholeDisk = LoopDevice.attach(disk.backingFile(), "--direct-io=on");
        LoopFileSystem fs = LoopFileSystem.on(disk.addPartition(3 << 20, BYTES), "ext4")) {
      assertReadsAFile(fs, directory(wholeDisk.node()), wholeDisk.node() + "+3145728");
    }
  }

  @Test
  void viewOfAPartitionEndsWithIt() throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.requireTool("addpart");
    try (LoopDevice disk = LoopDevice.create(4 * BYTES, "--partscan");
        LoopFileSystem fs = LoopFileSystem.on(disk.addPartition(3 << 20, BYTES), "ext4")) {
      BlockDevice view = directory(disk.node()).resolve(VolumeDevice.identify(fs.mountPoint()));
      ByteBuffer buffer = ByteBuffer.allocateDirect(2 * 4096).alignedSlice(4096).limit(4096);

      view.read(BYTES - 4096, buffer);

      assertThat(view.sizeBytes()).isEqualTo(BYTES);
      FallbackException refusal =
          catchThrowableOfType(
              FallbackException.class, () -> view.read(BYTES, buffer.clear().limit(4096)));
      assertThat(refusal.reason()).isEqualTo(DEVICE_MISMATCH);
      assertThat(refusal.detail()).contains("map reaches beyond the device");
    }
  }

  @Test
  void mediumThatWasChangedIsVerifiedAnew() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4");
        LoopDevice image = copyOf(fs);
        LoopDevice zeros = LoopDevice.create(BYTES);
        LoopDevice drive = LoopDevice.attach(image.backingFile(), "--read-only")) {
      DeviceIdentity identity = VolumeDevice.identify(fs.mountPoint());
      DeviceDirectory directory = directory(drive.node());
      BlockDevice before = directory.resolve(identity);
      assertThat(directory.resolve(identity)).isSameAs(before);

      drive.changeMedium(zeros.backingFile());

      assertReason(directory, identity, DEVICE_NOT_FOUND);
      drive.changeMedium(image.backingFile());
      now.addAndGet(LocalDeviceDirectory.RETRY_AFTER.toNanos());
      assertThat(directory.resolve(identity)).isNotSameAs(before);
    }
  }

  @Test
  void failedSearchIsRepeatedAfterAWhile() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4")) {
      DeviceIdentity identity = VolumeDevice.identify(fs.mountPoint());
      DeviceDirectory directory = directory();
      assertReason(directory, identity, DEVICE_NOT_FOUND);
      VisibleDevices.show(sysfs, fs.device());

      now.addAndGet(LocalDeviceDirectory.RETRY_AFTER.toNanos() - 1);
      assertReason(directory, identity, DEVICE_NOT_FOUND);
      now.addAndGet(1);

      assertThat(directory.resolve(identity).name()).isEqualTo(fs.device().toString());
    }
  }

  @Test
  void forgottenDeviceIsSearchedAnewAndStaysReadable() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4")) {
      DeviceIdentity identity = VolumeDevice.identify(fs.mountPoint());
      DeviceDirectory directory = directory(fs.device());
      BlockDevice first = directory.resolve(identity);
      assertThat(directory.resolve(identity)).isSameAs(first);

      directory.forget(identity);

      assertThat(directory.resolve(identity)).isNotSameAs(first);
      directory.close();
      ByteBuffer buffer = ByteBuffer.allocateDirect(2 * 4096).alignedSlice(4096).limit(4096);
      first.read(0, buffer);
      assertThat(buffer.remaining()).isZero();
      assertReason(directory, identity, DEVICE_NOT_FOUND);
    }
  }

  @Test
  void deviceThatHasShrunkFailsTheRead() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4")) {
      DeviceIdentity identity = VolumeDevice.identify(fs.mountPoint());
      try (LoopDevice copy = copyOf(fs)) {
        BlockDevice device = directory(copy.node()).resolve(identity);
        Command.run("truncate", "--size=1M", copy.backingFile().toString());
        Command.run("losetup", "--set-capacity", copy.node().toString());
        ByteBuffer buffer = ByteBuffer.allocateDirect(2 * 4096).alignedSlice(4096).limit(4096);

        FallbackException refusal =
            catchThrowableOfType(FallbackException.class, () -> device.read(2 << 20, buffer));

        assertThat(refusal.reason()).isEqualTo(DEVICE_IO_ERROR);
      }
    }
  }

  @Test
  void candidatesTellWhatIsOnThem() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("xfs");
        LoopDevice empty = LoopDevice.create(1 << 20)) {
      DeviceDirectory directory = directory(fs.device(), empty.node());

      assertThat(directory.candidates())
          .containsExactlyInAnyOrder(
              new DeviceDirectory.Candidate(
                  fs.device().toString(),
                  LoopFileSystem.XFS_BYTES,
                  "xfs " + fs.uuid() + " of " + LoopFileSystem.XFS_BYTES + " bytes"),
              new DeviceDirectory.Candidate(empty.node().toString(), 1 << 20, "no ext4 or xfs"));
    }
  }

  private static void assertReadsAFile(LoopFileSystem fs, DeviceDirectory directory, String name)
      throws IOException, FallbackException {
    byte[] content = new byte[1_234_567];
    new Random(1).nextBytes(content);
    Path file = Files.write(fs.mountPoint().resolve("blk_1"), content);
    DurableFiles.syncFile(file);
    ExtentList extents = Fiemap.extents(file, content.length);

    BlockDevice device = directory.resolve(VolumeDevice.identify(fs.mountPoint()));

    assertThat(device.name()).isEqualTo(name);
    assertThat(ExtentBytes.read(device, extents, content.length)).isEqualTo(content);
  }

  private LocalDevices devices() {
    return new LocalDevices(sysfs, Path.of("/dev"));
  }

  private DeviceDirectory directory(Path... visible) throws IOException {
    return new LocalDeviceDirectory(Map.of(), VisibleDevices.only(sysfs, visible), now::get);
  }

  private DeviceDirectory named(DeviceIdentity identity, Path node) throws IOException {
    Map<UUID, Path> nodes = Map.of(identity.fsUuid(), node);
    return new LocalDeviceDirectory(nodes, VisibleDevices.only(sysfs), now::get);
  }

  private static LoopDevice copyOf(LoopFileSystem fs) throws IOException {
    Command.run("sync", "--file-system", fs.mountPoint().toString());
    LoopDevice copy = LoopDevice.create(BYTES);
    Command.run("dd", "if=" + fs.device(), "of=" + copy.node(), "bs=1M", "conv=fsync");
    return copy;
  }

  private static void assertReason(
      DeviceDirectory directory, DeviceIdentity identity, FallbackReason reason) {
    assertThat(refusal(directory, identity).reason()).isEqualTo(reason);
  }

  private static FallbackException refusal(DeviceDirectory directory, DeviceIdentity identity) {
    return catchThrowableOfType(FallbackException.class, () -> directory.resolve(identity));
  }
}
