// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static io.rdio.core.FallbackReason.EXTENTS_UNMAPPABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.ExtentBytes;
import io.rdio.core.testing.FragmentedSpace;
import io.rdio.core.testing.LoopFileSystem;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Extents of real files, and the bytes that lie there on the device. */
@Tag("loop")
final class FiemapIT {
  private static final int BLOCK = 4096;

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void bytesAtTheExtentsAreTheFile(String fsType) throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create(fsType)) {
      byte[] content = randomBytes(3_000_001);
      Path file = Files.write(fs.mountPoint().resolve("blk_1"), content);
      DurableFiles.syncFile(file);
      DurableFiles.syncDirectory(fs.mountPoint());

      ExtentList extents = Fiemap.extents(file, content.length);

      assertThat(extents.length()).isBetween(3_000_001L, 3_002_368L);
      assertThat(onDevice(fs, extents, content.length)).isEqualTo(content);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void fileThatWasNeverSyncedIsWrittenBackFirst(String fsType) throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create(fsType)) {
      byte[] content = randomBytes(100_000);
      Path file = Files.write(fs.mountPoint().resolve("fresh"), content);

      ExtentList extents = Fiemap.extents(file, content.length);

      assertThat(onDevice(fs, extents, content.length)).isEqualTo(content);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void hundredsOfExtentsTakeSeveralCalls(String fsType) throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create(fsType)) {
      FragmentedSpace.make(fs.mountPoint(), 2000);
      byte[] content = randomBytes(1200 * BLOCK);
      Path file = Files.write(fs.mountPoint().resolve("fragmented"), content);

      ExtentList extents = Fiemap.extents(file, content.length);

      assertThat(extents.count()).isGreaterThan(512);
      assertThat(onDevice(fs, extents, content.length)).isEqualTo(content);
    }
  }

  @Test
  void blocksSmallerThanTheSlackAreGrantedInWhole() throws Exception {
    try (LoopFileSystem fs =
        LoopFileSystem.create(
            "ext4", LoopFileSystem.EXT4_BYTES, List.of("-b", "1024"), "defaults")) {
      byte[] content = randomBytes(5000);
      Path file = Files.write(fs.mountPoint().resolve("small"), content);

      ExtentList extents = Fiemap.extents(file, content.length);

      assertThat(extents.length()).isEqualTo(5120);
      assertThat(onDevice(fs, extents, content.length)).isEqualTo(content);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void unwrittenExtentIsRefused(String fsType) throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create(fsType)) {
      Path file = Files.write(fs.mountPoint().resolve("f"), randomBytes(BLOCK));
      DurableFiles.allocate(file, BLOCK, 10 * BLOCK);

      assertRefused(file, 11 * BLOCK, "UNWRITTEN extent at offset 4096");
    }
  }

  /** Of slots it is looked at before they are written to. */
  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void spaceThatWasTakenIsWhereItsBytesAreThen(String fsType) throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create(fsType)) {
      FragmentedSpace.make(fs.mountPoint(), 2000);
      Path file = Files.createFile(fs.mountPoint().resolve("taken"));
      DurableFiles.allocate(file, 0, 1200 * BLOCK);
      ExtentList taken = Fiemap.allocated(file, 1200 * BLOCK);
      assertRefused(file, 1200 * BLOCK, "UNWRITTEN extent at offset 0");

      Files.write(file, randomBytes(1200 * BLOCK), StandardOpenOption.WRITE);

      assertThat(taken.count()).isGreaterThan(512);
      assertThat(Fiemap.extents(file, 1200 * BLOCK)).isEqualTo(taken);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void holeIsRefused(String fsType) throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create(fsType)) {
      Path file = Files.write(fs.mountPoint().resolve("f"), randomBytes(BLOCK));
      try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
        out.write(ByteBuffer.wrap(randomBytes(BLOCK)), 20L * BLOCK);
      }

      assertRefused(file, 21 * BLOCK, "hole up to offset 81920 at offset 4096");
      assertRefused(file, BLOCK + 1, "hole (the last extent ends here) at offset 4096");
    }
  }

  @Test
  void inlineDataIsRefused() throws Exception {
    try (LoopFileSystem fs =
        LoopFileSystem.create(
            "ext4", LoopFileSystem.EXT4_BYTES, List.of("-O", "inline_data"), "defaults")) {
      Path file = Files.write(fs.mountPoint().resolve("f"), randomBytes(40));

      assertRefused(file, 40, "DATA_INLINE extent at offset 0");
    }
  }

  @Test
  void reflinkIsRefused() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("xfs")) {
      Path file = Files.write(fs.mountPoint().resolve("f"), randomBytes(BLOCK));
      Command.run("cp", "--reflink=always", file.toString(), file + ".copy");

      assertRefused(file, BLOCK, "SHARED extent at offset 0");
    }
  }

  @Test
  void journaledFileIsRefused() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4")) {
      Path file = Files.write(fs.mountPoint().resolve("f"), randomBytes(BLOCK));
      fs.unmount();
      // EXTENTS and JOURNAL_DATA: what chattr +j does, which takes CAP_SYS_RESOURCE.
      Command.run("debugfs", "-w", "-R", "set_inode_field f flags 0x84000", fs.device().toString());
      fs.mount("defaults");

      assertRefused(file, BLOCK, "has its data journaled");
    }
  }

  @Test
  void emptyFileHasNoExtents() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4")) {
      Path file = Files.createFile(fs.mountPoint().resolve("f"));

      assertThat(Fiemap.extents(file, 0)).isSameAs(ExtentList.EMPTY);
    }
  }

  @Test
  void missingFileIsAnIoError() {
    assertThatExceptionOfType(NoSuchFileException.class)
        .isThrownBy(() -> Fiemap.extents(Path.of("/nonexistent"), 1))
        .withMessageContaining("/nonexistent");
  }

  private static void assertRefused(Path file, long length, String words) {
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> Fiemap.extents(file, length));
    assertThat(refusal.reason()).isEqualTo(EXTENTS_UNMAPPABLE);
    assertThat(refusal.detail()).contains(words).contains(file.toString());
  }

  private static byte[] onDevice(LoopFileSystem fs, ExtentList extents, int length)
      throws FallbackException {
    try (DeviceDirectory directory = new LocalDeviceDirectory(Map.of(), Duration.ZERO)) {
      BlockDevice device = directory.resolve(VolumeDevice.identify(fs.mountPoint()));
      return ExtentBytes.read(device, extents, length);
    }
  }

  private static byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}
