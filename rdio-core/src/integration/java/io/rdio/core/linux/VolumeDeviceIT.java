// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static io.rdio.core.FallbackReason.DEVICE_UNSUPPORTED;
import static io.rdio.core.FallbackReason.FILE_SYSTEM_UNSUPPORTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.Unprivileged;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which device a directory lies on, on real file systems. */
@Tag("loop")
final class VolumeDeviceIT {
  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void identityIsThatOfTheSuperblock(String fsType) throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create(fsType)) {
      Path dataDir = Files.createDirectories(fs.mountPoint().resolve("dfs/data"));

      DeviceIdentity identity = VolumeDevice.identify(dataDir);

      long bytes = fsType.equals("xfs") ? LoopFileSystem.XFS_BYTES : LoopFileSystem.EXT4_BYTES;
      assertThat(identity).isEqualTo(new DeviceIdentity(fsType, fs.uuid(), bytes, "", 0, "any"));
      assertThat(identity.name()).isEqualTo(fs.device().toString());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void needsNoRightToReadTheDevice(String fsType) throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create(fsType)) {
      DeviceIdentity asRoot = VolumeDevice.identify(fs.mountPoint());

      assertThat(Unprivileged.call(() -> VolumeDevice.identify(fs.mountPoint()))).isEqualTo(asRoot);
    }
  }

  @Test
  void uuidThatWasChangedWhileMountedIsTheNewOne() throws Exception {
    List<String> mkfsOptions = List.of("-O", "metadata_csum,metadata_csum_seed");
    try (LoopFileSystem fs =
        LoopFileSystem.create("ext4", LoopFileSystem.EXT4_BYTES, mkfsOptions, "defaults")) {
      UUID changed = UUID.fromString("0a1b2c3d-4e5f-4061-8293-a4b5c6d7e8f9");
      Command.run("tune2fs", "-U", changed.toString(), fs.device().toString());

      assertThat(VolumeDevice.identify(fs.mountPoint()).fsUuid()).isEqualTo(changed);
    }
  }

  @Test
  void partitionIsNamedByItsStartOnTheDisk() throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.requireTool("addpart");
    try (LoopDevice disk = LoopDevice.create(128 << 20, "--partscan");
        LoopFileSystem fs =
            LoopFileSystem.on(disk.addPartition(1 << 20, LoopFileSystem.EXT4_BYTES), "ext4")) {
      DeviceIdentity identity = VolumeDevice.identify(fs.mountPoint());

      assertThat(identity.partitionStartBytes()).isEqualTo(1 << 20);
      assertThat(identity.sizeBytes()).isEqualTo(LoopFileSystem.EXT4_BYTES);
      assertThat(identity.name()).isEqualTo(disk.node() + "p1");
    }
  }

  @Test
  void journaledDataIsRefused() throws Exception {
    try (LoopFileSystem fs =
        LoopFileSystem.create("ext4", LoopFileSystem.EXT4_BYTES, List.of(), "data=journal")) {
      assertRefused(fs.mountPoint(), FILE_SYSTEM_UNSUPPORTED, "data=journal");
    }
  }

  @Test
  void fileSystemWithoutADiskIsRefused() {
    assertRefused(Path.of("/proc"), FILE_SYSTEM_UNSUPPORTED, "/proc lies on proc");
  }

  @Test
  void missingDirectoryIsRefused() {
    assertRefused(Path.of("/nonexistent"), DEVICE_UNSUPPORTED, "/nonexistent");
  }

  private static void assertRefused(Path directory, FallbackReason reason, String words) {
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> VolumeDevice.identify(directory));
    assertThat(refusal.reason()).isEqualTo(reason);
    assertThat(refusal.detail()).contains(words);
  }
}
