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

/** What the kernel counts of a host's own writes to a namespace. */
final class HostNamespacesTest {
  @TempDir Path sysfs;

  private final Path devfs = Path.of("/dev");
  private final Namespaces.Namespace namespace =
      new Namespaces.Namespace("eui.1", devfs.resolve("nvme0n1"));
  private Path disk;

  @BeforeEach
  void makeDisk() throws IOException {
    disk = Files.createDirectories(sysfs.resolve("class/block/nvme0n1"));
    Files.createDirectories(disk.resolve("queue"));
    Files.writeString(disk.resolve("queue/iostats"), "1\n");
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
    return new HostNamespaces(sysfs, devfs).written(namespace);
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
    assertThatThrownBy(() -> new HostNamespaces(sysfs, devfs).written(namespace))
        .hasMessageContaining("iostats");
    Files.writeString(disk.resolve("queue/iostats"), "1\n");
    Files.writeString(disk.resolve("stat"), "1 2 3 4 5 6 7 8 9 10 11\n"); // before Linux 4.18
    assertThatThrownBy(() -> new HostNamespaces(sysfs, devfs).written(namespace))
        .hasMessageContaining("11 numbers");
  }
}
