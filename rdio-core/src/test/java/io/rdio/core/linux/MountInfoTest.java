// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The mount that a directory lies in. */
final class MountInfoTest {
  private static final List<String> LINES =
      List.of(
          "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard",
          "40 27 259:1 / /data rw,noatime shared:7 master:2 - xfs /dev/nvme0n1 rw,rtdev=/dev/sdb",
          "41 40 259:2 /sub /data/my\\040disk rw - ext4 /dev/nvme1n1 rw,data=journal",
          "42 40 259:3 / /data rw - ext4 /dev/nvme2n1 rw",
          "this line is none",
          "43 40 - short");

  @TempDir Path procfs;

  @BeforeEach
  void writeMountInfo() throws IOException {
    Files.createDirectory(procfs.resolve("self"));
    Files.write(procfs.resolve("self/mountinfo"), LINES);
  }

  @Test
  void newestOfTheDeepestMountsCounts() throws IOException {
    assertThat(source("/data/dfs")).isEqualTo("/dev/nvme2n1");
    assertThat(source("/database")).isEqualTo("/dev/vda");
    assertThat(source("/data/my disk/dfs/data")).isEqualTo("/dev/nvme1n1");
  }

  @Test
  void optionsAreTheFileSystems() {
    MountInfo xfs = MountInfo.parse(LINES).get(1);
    MountInfo journaled = MountInfo.parse(LINES).get(2);

    assertThat(xfs)
        .isEqualTo(
            new MountInfo(
                Path.of("/data"), "xfs", "/dev/nvme0n1", List.of("rw", "rtdev=/dev/sdb")));
    assertThat(xfs.hasValued("rtdev")).isTrue();
    assertThat(journaled.hasValued("rtdev")).isFalse();
    assertThat(journaled.hasOption("data=journal")).isTrue();
    assertThat(xfs.hasOption("data=journal")).isFalse();
  }

  /** Also one that another lies over, and one whose line has no more that makes sense. */
  @Test
  void devicesOfAllMounts() throws IOException {
    assertThat(MountedFileSystem.devices(procfs))
        .contains("254:0", "259:1", "259:2", "259:3")
        .doesNotContain("259:4");
  }

  private String source(String path) throws IOException {
    return MountInfo.of(Path.of(path), procfs).orElseThrow().source();
  }
}
