// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static io.rdio.core.FallbackReason.DEVICE_UNSUPPORTED;
import static io.rdio.core.FallbackReason.FILE_SYSTEM_UNSUPPORTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.FakeSysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Volumes that RDIO refuses, as mountinfo and sysfs show them. */
final class VolumeDeviceTest {
  @TempDir Path directory;
  private Path dataDir;
  private FakeSysfs sysfs;

  @BeforeEach
  void makeHost() throws IOException {
    dataDir = Files.createDirectory(directory.resolve("data")).toRealPath();
    sysfs = new FakeSysfs(directory.resolve("sys"));
    Files.createDirectories(directory.resolve("proc/self"));
  }

  @Test
  void fileSystemsOtherThanExt4AndXfs() throws IOException {
    for (String fsType : List.of("btrfs", "zfs", "overlay", "nfs4", "tmpfs", "ext3")) {
      mounted(fsType, "rw");
      assertRefused(FILE_SYSTEM_UNSUPPORTED, dataDir + " lies on " + fsType, "not ext4 or xfs");
    }
  }

  @Test
  void mountOptionsThatMoveTheBytesElsewhere() throws IOException {
    mounted("ext4", "rw,data=journal");
    assertRefused(FILE_SYSTEM_UNSUPPORTED, "data=journal");
    mounted("xfs", "rw,rtdev=/dev/sdb");
    assertRefused(FILE_SYSTEM_UNSUPPORTED, "realtime section");
  }

  @Test
  void stackedDevices() throws Exception {
    Path disk = sysfs.disk("dm-0", 1 << 20, "");
    Files.createDirectory(disk.resolve("dm"));

    FallbackException refusal = refusalOf(259L << 8);

    assertThat(refusal.reason()).isEqualTo(DEVICE_UNSUPPORTED);
    assertThat(refusal.detail()).contains("/dev/dm-0, which is not a plain disk or partition: dm");
  }

  @Test
  void anonymousDevices() throws Exception {
    FallbackException refusal = refusalOf(39);

    assertThat(refusal.reason()).isEqualTo(DEVICE_UNSUPPORTED);
    assertThat(refusal.detail()).contains("anonymous device (0:39)");
  }

  @Test
  void deviceThatSysfsDoesNotShow() throws IOException {
    mounted("ext4", "rw");

    assertRefused(DEVICE_UNSUPPORTED, "cannot find out the device of " + dataDir);
  }

  private FallbackException refusalOf(long dev) {
    MountInfo mount = new MountInfo(dataDir, "ext4", "/dev/x", List.of("rw"));
    return catchThrowableOfType(
        FallbackException.class, () -> host().identity(dataDir, mount, dev));
  }

  private void mounted(String fsType, String options) throws IOException {
    Files.writeString(
        directory.resolve("proc/self/mountinfo"),
        "40 27 259:0 / " + dataDir + " rw - " + fsType + " /dev/x " + options + "\n");
  }

  private VolumeDevice host() {
    return new VolumeDevice(sysfs.root(), directory.resolve("proc"), Path.of("/dev"));
  }

  private void assertRefused(FallbackReason reason, String... words) {
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> host().of(dataDir));
    assertThat(refusal.reason()).isEqualTo(reason);
    assertThat(refusal.detail()).contains(words);
  }
}
