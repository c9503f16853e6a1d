// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.ExtentBytes;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.datanode.grant.GrantConfig;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.grant.GrantResult;
import io.rdio.datanode.grant.PinnedMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pins on real file systems: what lies at granted extents, as the device itself tells. */
@Tag("loop")
final class PinnedExtentsIT {
  private static final int LENGTH = 5 * 1024 * 1024 + 123;

  /** A volume with one block of random bytes, which is granted. */
  private static final class Pinned implements AutoCloseable {
    final LoopFileSystem fs;
    final GrantFixture fixture;
    final byte[] content = new byte[LENGTH];
    final BlockKey block;
    final long lease;
    final PinnedMap map;
    private final List<Path> fillers = new ArrayList<>();

    Pinned(String fsType) throws Exception {
      fs = LoopFileSystem.create(fsType);
      fixture = onVolume(fs);
      block = fixture.hdfs.write(1, LENGTH);
      new Random(7).nextBytes(content);
      Files.write(fixture.hdfs.replica(block).blockFile(), content);
      GrantResult result = fixture.grant("a", block);
      assertThat(result).isInstanceOf(GrantResult.Granted.class);
      lease = ((GrantResult.Granted) result).leaseId();
      map = ((GrantResult.Granted) result).map();
    }

    static GrantFixture onVolume(LoopFileSystem fs) {
      GrantFixture fixture = new GrantFixture(fs.mountPoint());
      fixture.mapper = Fiemap::extents;
      fixture.identifier = VolumeDevice::identify;
      fixture.start(GrantFixture.CONFIG);
      return fixture;
    }

    /** Whether the device has the block's bytes at the granted extents. */
    boolean isOnDevice() throws FallbackException {
      try (DeviceDirectory directory = new LocalDeviceDirectory(Map.of(), Duration.ZERO)) {
        BlockDevice device = directory.resolve(map.device());
        return Arrays.equals(ExtentBytes.read(device, map.blockExtents(), LENGTH), content);
      }
    }

    /** Overwrites every block of the volume that no other file has. */
    void fill() throws IOException {
      for (Path filler : fillers) {
        Files.delete(filler);
      }
      fillers.clear();
      byte[] waste = new byte[1 << 20];
      Arrays.fill(waste, (byte) 0xee);
      boolean full = false;
      while (!full) {
        try {
          Path file = Files.createTempFile(fs.mountPoint(), "filler", "");
          fillers.add(file);
          Files.write(file, waste);
        } catch (IOException e) {
          assertThat(e).hasMessageContaining("No space left");
          full = true;
        }
      }
      Command.run("sync", "-f", fs.mountPoint().toString());
    }

    @Override
    public void close() throws IOException {
      fs.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void deletedBlockStaysOnTheDeviceWhileTheVolumeIsFilled(String fsType) throws Exception {
    try (Pinned pinned = new Pinned(fsType)) {
      pinned.fixture.hdfs.delete(pinned.block);
      pinned.fill();
      assertThat(pinned.isOnDevice()).isTrue();

      pinned.fixture.giveBack("a", pinned.lease);
      assertThat(pinned.fixture.links()).isEmpty();
      // Else this test would prove nothing. xfs frees a file's blocks some time after its unlink.
      await()
          .until(
              () -> {
                pinned.fill();
                return !pinned.isOnDevice();
              });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void pinAndItsExtentsSurviveALossOfPower(String fsType) throws Exception {
    Requirements.requireTool("xfs_io");
    try (Pinned pinned = new Pinned(fsType)) {
      Path unsynced = Files.write(pinned.fs.mountPoint().resolve("unsynced"), new byte[100]);

      // Nothing that is not on the device by now gets there: no journal, no dirty page.
      Command.run("xfs_io", "-F", "-x", "-c", "shutdown", pinned.fs.mountPoint().toString());
      pinned.fs.unmount();
      pinned.fs.mount("defaults");

      assertThat(unsynced).doesNotExist();
      List<Path> links = pinned.fixture.links();
      assertThat(links).hasSize(2);
      assertThat(Fiemap.extents(links.get(0), LENGTH)).isEqualTo(pinned.map.blockExtents());
      assertThat(Fiemap.extents(links.get(1), pinned.map.metaLength()))
          .isEqualTo(pinned.map.metaExtents());
      assertThat(pinned.isOnDevice()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void nextIncarnationKeepsThePinForItsTerm(String fsType) throws Exception {
    try (Pinned pinned = new Pinned(fsType)) {
      pinned.fixture.hdfs.delete(pinned.block);
      pinned.fs.unmount();
      pinned.fs.mount("defaults");

      pinned.fixture.start(GrantConfig.builder().leaseMillis(1_000).maxIoMillis(0).build());
      pinned.fixture.pass(GrantFixture.LEASE_MILLIS);
      pinned.fixture.service.sweep();
      pinned.fill();
      assertThat(pinned.isOnDevice()).isTrue();
      assertThat(pinned.fixture.service.volumes().get(0).pinnedDeletedBytes())
          .isGreaterThan(LENGTH);

      pinned.fixture.pass(GrantFixture.IO_MILLIS);
      pinned.fixture.service.sweep();
      assertThat(pinned.fixture.links()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void fileWithAHoleIsRefusedAndUnlinked(String fsType) throws Exception {
    try (Pinned pinned = new Pinned(fsType)) {
      BlockKey other = pinned.fixture.hdfs.write(2, 100);
      Path holes = pinned.fixture.hdfs.replica(other).blockFile();
      Files.delete(holes);
      Command.run("truncate", "-s", "100", holes.toString());

      assertThat(pinned.fixture.refusal("a", other)).isEqualTo(FallbackReason.EXTENTS_UNMAPPABLE);
      assertThat(pinned.fixture.links()).hasSize(2);
    }
  }
}
