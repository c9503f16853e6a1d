// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ways that are left where the kernel does not tell the UUID; procfs is such a file system. */
final class FsUuidTest {
  private static final Path NO_IOCTLS = Path.of("/proc");
  private static final UUID LINKED = UUID.fromString("0a1b2c3d-4e5f-4061-8293-a4b5c6d7e8f9");
  private static final UUID ON_DISK = UUID.fromString("11111111-2222-4333-8444-555555555555");

  @TempDir Path devfs;
  private Path node;

  @BeforeEach
  void makeNode() throws IOException {
    ByteBuffer sb = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
    sb.putInt(1024 + 0x4, 100).putInt(1024 + 0x18, 2).putShort(1024 + 0x38, (short) 0xEF53);
    sb.order(ByteOrder.BIG_ENDIAN);
    sb.putLong(1024 + 0x68, ON_DISK.getMostSignificantBits());
    sb.putLong(1024 + 0x70, ON_DISK.getLeastSignificantBits());
    node = Files.write(devfs.resolve("sda1"), sb.array());
  }

  @Test
  void linkOfUdevIsBelieved() throws IOException {
    Path links = Files.createDirectories(devfs.resolve("disk/by-uuid"));
    Files.createSymbolicLink(links.resolve("dangling"), devfs.resolve("gone"));
    Files.createSymbolicLink(links.resolve(LINKED.toString()), node);

    assertThat(FsUuid.of(NO_IOCTLS, "ext4", node, devfs)).isEqualTo(LINKED);
  }

  @Test
  void linkThatIsNoUuidIsPassedOver() throws IOException {
    Path links = Files.createDirectories(devfs.resolve("disk/by-uuid"));
    Files.createSymbolicLink(links.resolve("ABCD-1234"), node);

    assertThat(FsUuid.of(NO_IOCTLS, "xfs", node, devfs)).isEqualTo(ON_DISK);
  }

  @Test
  void superblockIsTheLastResort() throws IOException {
    assertThat(FsUuid.of(NO_IOCTLS, "ext4", node, devfs)).isEqualTo(ON_DISK);
  }

  @Test
  void whereNothingTellsItThatIsSaid() {
    assertThatIOException()
        .isThrownBy(() -> FsUuid.of(NO_IOCTLS, "ext4", devfs.resolve("gone"), devfs))
        .withMessageContaining("no ioctl of this kernel and no link in disk/by-uuid")
        .withMessageContaining(devfs.resolve("gone").toString());
  }

  @Test
  void xfsThatDoesNotSayWhereFilesLieMayHaveARealtimeSection() throws IOException {
    assertThat(FsUuid.mayHaveRealtimeSection(NO_IOCTLS)).isTrue();
  }
}
